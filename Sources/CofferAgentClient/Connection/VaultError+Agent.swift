internal import Coffer
internal import CofferAgent
internal import VaultFile

// What the agent, or the want of one, means for a vault.
extension VaultError {
    /// Why there is no answer. Without an agent no vault is unlocked.
    init(_ error: AgentClientError) {
        self =
            switch error {
            case .noAgent where error.meansNobody: .locked
            case .noAgent(let path, let errno): .ioError(step: "reach the agent", errno: errno, path: path)
            case .foreignAgent(let path, let reason):
                .refused(reason: "nothing was sent to the agent at \(path): \(reason)")
            case .version(let version):
                .refused(reason: "the agent speaks version \(version) of its protocol, this program another")
            case .broken: .agent("hear from the agent", .connectionReset)
            case .timedOut: .agent("hear from the agent", .timedOut)
            case .tooLarge: .refused(reason: "that is more than the agent takes at once")
            case .noMemory: .notEnoughMemory(memoryKiB: nil)
            }
    }

    /// Why an answer is of no use.
    init(_ error: AgentAnswerError) {
        self =
            switch error {
            case .nonsense: .nonsense
            case .outOfMemory: .notEnoughMemory(memoryKiB: nil)
            }
    }

    /// Why the agent did not do it.
    init(_ failure: AgentFailure) {
        self =
            switch failure {
            case .vault(let error): error
            case .version(let version): VaultError(AgentClientError.version(version))
            case .malformed: .refused(reason: "the agent did not understand the request")
            case .busy: .agent("have the agent do it, which has much to do", .wouldBlock)
            case .staleEpoch: .locked
            case .generation: .outrun
            case .refused(let refusal): .refused(reason: refusal.reason)
            }
    }

    /// An answer that means nothing.
    static let nonsense = agent("understand the agent", .protocolBroken)

    /// Others saved again and again.
    static let outrun = agent("keep up with the saves of others", .wouldBlock)

    private static func agent(_ step: String, _ errno: Errno) -> VaultError {
        .ioError(step: step, errno: errno.code, path: "agent")
    }
}
