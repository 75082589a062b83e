/// Why the place where the agent listens is not to be used.
package enum AgentPlaceError: Error, Equatable, Sendable {
    /// Something is not as it should be, and nothing was touched.
    case refused(path: String, reason: String)
    /// A step failed, for the system's reason.
    case failed(step: String, errno: Int32, path: String)
    /// Another agent lives there.
    case alreadyRunning
}
