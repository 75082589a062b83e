internal import Coffer
internal import Glibc

#if !os(Linux)
    #error("SocketWatch knows Linux only: add a file for this system to this folder")
#endif

/// Tells when the agent's socket is taken away, as a cleaner of temporary files may do.
///
/// Nobody could lock then what the agent holds, and every command would say that there is no agent.
final class SocketWatch: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    private let watch: FileWatch?

    /// Watches a socket from now on. A system that has no watch to spare leaves the agent as it would be without.
    ///
    /// - Parameters:
    ///   - path: of the socket, which is there.
    ///   - onLoss: called on another thread, perhaps more than once.
    init(_ path: String, onLoss: @escaping @Sendable () -> Void) {
        let own = Self.identity(path)
        watch = try? FileWatch(path: path) { if Self.identity(path) != own { onLoss() } }
    }

    /// Stops watching, before the agent itself takes the socket away.
    func cancel() { watch?.cancel() }

    private static func identity(_ path: String) -> Identity? {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return nil }
        return Identity(device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
    }
}
