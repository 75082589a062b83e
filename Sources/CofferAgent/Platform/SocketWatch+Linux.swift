internal import Coffer
internal import Glibc
internal import SecureMemory

#if !os(Linux)
    #error("SocketWatch knows Linux only: add a file for this system to this folder")
#endif

/// Ends the agent when its socket is taken away, as a cleaner of temporary files may do.
///
/// Without it, nobody could lock what the agent holds, and every command would say that there is no agent.
final class SocketWatch: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    private let watch: FileWatch?

    /// Watches a socket from now on. A system that has no watch to spare leaves the agent as it would be without.
    ///
    /// - Parameter path: of the socket, which is there.
    init(_ path: String) {
        let own = Self.identity(path)
        let isTold = PlainMutex(false)
        watch = try? FileWatch(path: path) {
            guard Self.identity(path) != own else { return }
            let isFirst = isTold.withLock { isTold in
                defer { isTold = true }
                return !isTold
            }
            // As if somebody had asked for it: everything is locked, and what has begun is answered. Asked twice, it would
            // wait for nothing.
            if isFirst { kill(getpid(), SIGTERM) }
        }
    }

    /// Stops watching, before the agent itself takes the socket away.
    func cancel() { watch?.cancel() }

    private static func identity(_ path: String) -> Identity? {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return nil }
        return Identity(device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
    }
}
