internal import CSystem
internal import Glibc
internal import VaultFile

#if !os(Linux)
    #error("KernelNotices knows Linux only: add a file for this system to this folder")
#endif

/// Descriptors by which the kernel tells that something happened.
enum KernelNotices {
    typealias Notice = TriggerSurroundings.Notice

    /// Whether an answer of poll(2) says that nothing more will come.
    static func isEnd(_ events: Int16) -> Bool { events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 }

    /// The directory of this process's cgroup of version 2, or nil if there is none that can be seen.
    static func cgroup() -> String? {
        guard let groups = AvailableMemory.text(of: "/proc/self/cgroup") else { return nil }
        let line = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let path = line?.dropFirst(3), !path.split(separator: "/").contains("..") else { return nil }
        // The second is where version 1 and 2 stand side by side.
        for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] where exists("\(root)/cgroup.controllers") {
            // In a container the outer part of the path may not be visible: its own group is the root then.
            return path.count > 1 && exists("\(root)\(path)") ? "\(root)\(path)" : root
        }
        return nil
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Opens a file under `/proc/pressure` or of a cgroup.
    ///
    /// - Parameter trigger: what to write to a file of pressure stall information, which then waits for it.
    static func open(_ path: String, _ trigger: String?) -> Result<Notice, Errno> {
        let descriptor = unsafe cs_open(path, (trigger == nil ? O_RDONLY : O_RDWR) | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return .failure(Errno(code: errno)) }
        if let trigger {
            // The kernel takes the last byte for a NUL, whatever it is.
            let bytes = Array(trigger.utf8) + [0]
            guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
                let failure = Errno(code: errno)
                close(descriptor)
                return .failure(failure)
            }
        }
        return .success(Notice(descriptor: descriptor, events: Int16(POLLPRI)))
    }

    /// What a small file holds now, read from its start; nil if it is gone or empty.
    static func text(of descriptor: Int32) -> String? {
        // A pipe, which a test may put here, is read from where it stands.
        _ = lseek(descriptor, 0, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Makes a descriptor that becomes readable at each jump of the wall clock.
    ///
    /// It is a timer on that clock which the kernel cancels then. The end of a sleep is such a jump: the clock that stood
    /// still meanwhile has another distance to this one afterwards.
    static func clockChanges() -> Result<Notice, Errno> {
        let descriptor = cs_clock_change_timer()
        guard descriptor >= 0 else { return .failure(Errno(code: errno)) }
        guard cs_clock_change_arm(descriptor) == 0 || errno == ECANCELED else {
            let failure = Errno(code: errno)
            close(descriptor)
            return .failure(failure)
        }
        return .success(Notice(descriptor: descriptor, events: Int16(POLLIN)))
    }

    /// Takes back that the wall clock jumped, and waits for the next time.
    static func acknowledgeClockChange(_ descriptor: Int32) {
        var count: UInt64 = 0
        // The answer is `ECANCELED`. Should the timer have come after all, it is armed again too.
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
        _ = cs_clock_change_arm(descriptor)
    }
}
