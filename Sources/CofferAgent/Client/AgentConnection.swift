/// A client's connection to the agent; greeted, and checked to be of the same user.
package struct AgentConnection: ~Copyable, Sendable {
    /// How the agent's memory is protected.
    package let memory: AgentMemory
    /// The socket.
    package let location: AgentLocation

    /// Connects, checks who listens, and greets.
    ///
    /// - Parameters:
    ///   - location: where the agent listens.
    ///   - timeout: how long to wait for the greeting's answer.
    /// - Throws: `noAgent`, `foreignAgent`, `version`, `broken`, `timedOut`.
    package init(to location: AgentLocation, timeout: Duration = .seconds(5)) throws(AgentClientError) {
        throw .noAgent(path: location.socketPath, errno: 0)
    }

    /// Asks and waits for the answer. After a failure of the connection there is no other answer.
    ///
    /// - Parameters:
    ///   - request: what is asked. It is sent once.
    ///   - timeout: how long to wait for the answer.
    /// - Throws: `broken`, `timedOut`, `tooLarge`.
    package mutating func exchange(
        _ request: consuming AgentRequest, timeout: Duration = .seconds(30)
    ) throws(AgentClientError) -> AgentReply {
        throw .broken
    }
}
