internal import Coffer

/// Tells when the agent's socket is taken away, as a cleaner of temporary files may do.
///
/// Nobody could lock then what the agent holds, and every command would say that there is no agent.
package final class SocketWatch: Sendable {
    private let watch: FileWatch?

    /// Watches a socket from now on. A system that has no watch to spare leaves the agent as it would be without.
    ///
    /// - Parameters:
    ///   - path: of the socket.
    ///   - own: the socket that is to be there; another one, or none, is a loss, also if it came before this call.
    ///   - onLoss: called on this or another thread, perhaps more than once.
    package init(_ path: String, of own: SocketIdentity, onLoss: @escaping @Sendable () -> Void) {
        let look: @Sendable () -> Void = { if SocketIdentity(path) != own { onLoss() } }
        watch = try? FileWatch(path: path, look)
        // Nobody watched before.
        look()
    }

    /// Stops watching, before the agent itself takes the socket away.
    package func cancel() { watch?.cancel() }
}
