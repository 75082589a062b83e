internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("ProgressNote knows Linux only: add a file for this system to this folder")
#endif

/// Tells a person after a second that the program is at work and not hung.
///
/// A thread, not an alarm: an alarm may have been set by whoever started us, to end us in time. The thread takes no
/// signals, touches no secret, and has ended before anyone is asked for anything.
final class ProgressNote {
    private static let text: StaticString =
        "coffer: deriving the key from the passphrase, which takes a while on purpose\n"
    private static let stackSize = 65536

    private let thread: pthread_t
    private let ends: (read: Int32, write: Int32)

    /// Says it in a second; nothing when there is no thread to be had, which is no reason not to go on.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { Descriptors.closeOnExec(end) }
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
        // The thread is born with the mask of this one.
        var before: UInt64 = 0
        _ = unsafe cs_signal_mask(SIG_BLOCK, .max, &before)
        defer { _ = cs_signal_mask(SIG_SETMASK, before, nil) }
        var thread = pthread_t()
        let descriptor = unsafe UnsafeMutableRawPointer(bitPattern: Int(ends[0]))
        let result = unsafe pthread_create(
            &thread, &attributes,
            { descriptor in
                ProgressNote.sayUnlessEnded(Int32(truncatingIfNeeded: Int(bitPattern: descriptor)))
                return nil
            }, descriptor)
        guard result == 0 else {
            for end in ends { Descriptors.close(end) }
            return nil
        }
        self.thread = thread
        self.ends = (ends[0], ends[1])
    }

    // The other end of the pipe is closed when there is nothing to say any more.
    private static func sayUnlessEnded(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, 1000) == 0 else { return }
        // Never waits for a terminal whose output is stopped: then nobody could be told anyway.
        var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&output, 1, 0) == 1 else { return }
        _ = unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Says it no more; when this returns, the thread is gone.
    func end() {
        Descriptors.close(ends.write)
        pthread_join(thread, nil)
        Descriptors.close(ends.read)
    }
}
