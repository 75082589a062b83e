/// Why no agent could be started.
package enum AgentStartError: Error, Equatable, Sendable {
    /// A step failed, for the system's reason.
    case failed(step: String, errno: Int32)
    /// The program ended with this status before it was ready: the message went nowhere, but the status says why.
    case ended(status: Int32)
    /// The program was not ready in time, and was ended.
    case timedOut
}

/// Starts an agent that outlives the program, the terminal and the session that asked for it.
package enum AgentStarter {
    /// Starts an agent and waits until it listens. One that lives already is left alone, and is ready.
    ///
    /// - Parameters:
    ///   - location: where it is to listen.
    ///   - program: the program that has the verb `agent run`.
    ///   - timeout: how long it may take to be ready.
    package static func start(
        at location: AgentLocation, program: String = "/proc/self/exe", timeout: Duration = .seconds(10)
    ) throws(AgentStartError) {
        throw .failed(step: "start the agent", errno: 0)
    }
}
