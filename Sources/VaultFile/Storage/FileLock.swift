internal import SecureMemory

/// The exclusive lock of a lock file. The system gives it back when its holder ends, however that happens.
///
/// The corresponding C function is `flock`.
enum FileLock {
    private static let firstWait: UInt64 = 1_000_000
    private static let longestWait: UInt64 = 25_000_000

    /// Opens the lock file, makes it if absent, and waits for its lock.
    ///
    /// - Parameters:
    ///   - system: makes the calls.
    ///   - name: the name of the lock file.
    ///   - directory: the directory it stands in.
    ///   - timeout: how long to wait at most.
    /// - Returns: the lock, which is held to the end of its life.
    /// - Throws: `lockHeld` after the timeout, or a system failure: also for a lock file that belongs to another user or
    ///   has a second name (a hard link). A file system without locks is one: there is no
    ///   change without a lock.
    static func take(
        _ system: any SystemCalls, _ name: String, in directory: Int32, timeout: Duration
    ) throws(StorageError) -> Held {
        let deadline = system.monotonicNanoseconds().addingSaturating(timeout.wholeNanoseconds)
        while true {
            let file = try open(system, name, in: directory)
            try wait(for: file, until: deadline)
            // Somebody may have removed the file while we waited; then its lock keeps nobody out.
            if try isStillThere(file, name, in: directory) { return Held(file) }
            guard system.monotonicNanoseconds() < deadline else { throw StorageError(.lock, .wouldBlock, .lockHeld) }
        }
    }

    /// A lock that was taken.
    struct Held: ~Copyable, Sendable {
        private let file: Descriptor
        private let owner = ProcessToken.current

        fileprivate init(_ file: consuming Descriptor) { self.file = file }

        // Closed here, the file may still be open in a child that another thread forked meanwhile, and would be locked
        // for as long as that lives. The child in turn has nothing to give back.
        deinit {
            if owner == ProcessToken.current { try? file.system.unlock(file.number) }
        }
    }

    private static func open(
        _ system: any SystemCalls, _ name: String, in directory: Int32
    ) throws(StorageError) -> Descriptor {
        let file = try Descriptor(system, name, in: directory, as: .lockFile, .openLockFile)
        let status = try file.status(.openLockFile)
        try status.requireRegularFile(.openLockFile)
        // Our own name for a file of somebody else, or for another file of ours whose mode is none of our business.
        guard status.owner == system.effectiveUser() else { throw StorageError(.openLockFile, .notPermitted) }
        guard status.links <= 1 else { throw StorageError(.openLockFile, .tooManyLinks) }
        // The umask may have taken bits away. And whoever may open the file could hold its lock for ever.
        if status.permissions != 0o600 {
            let number = file.number
            try system.uninterrupted(.openLockFile) { () throws(Errno) in
                try system.setPermissions(0o600, of: number)
            }
        }
        return file
    }

    private static func wait(for file: borrowing Descriptor, until deadline: UInt64) throws(StorageError) {
        let (system, number) = (file.system, file.number)
        var wait = firstWait
        while true {
            do throws(StorageError) {
                return try system.uninterrupted(.lock) { () throws(Errno) in try system.tryLock(number) }
            } catch {
                guard Errno(code: error.errno) == .wouldBlock else { throw error }
            }
            let now = system.monotonicNanoseconds()
            guard now < deadline else { throw StorageError(.lock, .wouldBlock, .lockHeld) }
            system.sleep(nanoseconds: min(wait, deadline - now))
            wait = min(wait * 2, longestWait)
        }
    }

    private static func isStillThere(
        _ file: borrowing Descriptor, _ name: String, in directory: Int32
    ) throws(StorageError) -> Bool {
        let system = file.system
        let held = try file.status(.lock).identity
        do throws(StorageError) {
            let found = try system.uninterrupted(.lock) { () throws(Errno) in
                try system.status(of: name, in: directory)
            }
            return found.identity.isSameFile(as: held)
        } catch {
            guard Errno(code: error.errno) == .noEntry else { throw error }
            return false
        }
    }
}

extension Duration {
    /// The nanoseconds, at least 0 and at most what fits.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (nanoseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : nanoseconds.addingSaturating(UInt64(attoseconds / 1_000_000_000))
    }
}

extension UInt64 {
    fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
