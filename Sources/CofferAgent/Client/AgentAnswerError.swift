/// Why an answer of the agent is of no use.
package enum AgentAnswerError: Error, Equatable, Sendable {
    /// It means nothing.
    case nonsense
    /// There is no memory to look at it.
    case outOfMemory
}
