/// Why no agent could be started.
package enum AgentStartError: Error, Equatable, Sendable {
    /// A step failed, for the system's reason.
    case failed(step: String, errno: Int32)
    /// The directory, or what is in it, is not as it should be; the program may have said so.
    case refused(path: String, reason: String)
    /// The program ended with this status before it was ready, and did not say why.
    case ended(status: Int32)
    /// The program was not ready in time, and was ended.
    case timedOut
}
