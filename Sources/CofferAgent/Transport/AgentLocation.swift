/// Where the agent of a user listens.
package struct AgentLocation: Hashable, Sendable {
    /// The runtime directory, which is the agent's own.
    package let directory: String

    /// A directory of the caller's choice.
    package init(directory: String) { self.directory = directory }

    /// The socket in the directory.
    package var socketPath: String { "\(directory)/agent.sock" }

    /// The file whose lock says that an agent lives.
    package var lockPath: String { "\(directory)/agent.lock" }
}
