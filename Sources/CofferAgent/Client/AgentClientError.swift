internal import VaultFile

/// Why a client has no answer.
package enum AgentClientError: Error, Equatable, Sendable {
    /// There is no agent at this socket, for the system's reason.
    case noAgent(path: String, errno: Int32)
    /// Something is not as it should be at this path, and nothing was sent: another user's agent, a foreign directory.
    case foreignAgent(path: String, reason: String)
    /// The agent speaks another version.
    case version(UInt32)
    /// The connection ended or carried nonsense, or there was no room for the answer: what was sent may be done.
    case broken
    /// The agent did not answer in time: what was sent may be done.
    case timedOut
    /// Nothing was sent: the request is larger than a frame may be, or a part of it than the agent takes.
    case tooLarge
    /// Nothing was sent: guarded memory for the request could not be had.
    case noMemory

    /// Whether nobody listens there; not that the directory may not be read, nor that no file can be opened.
    package var meansNobody: Bool {
        guard case .noAgent(_, let number) = self else { return false }
        return [Errno.noEntry, .connectionRefused].contains(Errno(code: number))
    }
}
