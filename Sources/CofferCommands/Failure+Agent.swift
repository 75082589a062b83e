internal import CofferAgent

// What the agent, or the want of one, means for a person.
extension Failure {
    /// Why there is no answer.
    init(_ error: AgentClientError) {
        switch error {
        case .noAgent where error.meansNobody: self = .noAgent
        case .noAgent(let path, let number):
            self.init(
                .agentUnavailable,
                "no agent can be reached at \(Escaping.quoted(path)): \(SystemError(number: number).text)")
        case .foreignAgent(let path, let reason):
            self.init(
                .agentUnavailable, "nothing was sent to \(Escaping.quoted(path)): \(reason)",
                hint: "COFFER_RUNTIME_DIR names another directory")
        case .version(let version): self = .otherVersion(version)
        case .broken:
            self.init(
                .agentUnavailable, "the agent ended, or closed the connection, before it answered", hint: "try again")
        case .timedOut:
            self.init(
                .agentUnavailable, "the agent did not answer in time; what it has unlocked may still be unlocked",
                hint: "try again; pkill -KILL -U $(id -u) -x coffer-agent ends it, and with it all that it holds")
        case .tooLarge:
            self.init(.limitExceeded, "that is more than the agent takes at once", hint: "--no-agent goes without")
        case .noMemory: self = .outOfMemory
        }
    }

    /// Why an answer is of no use.
    init(_ error: AgentAnswerError) {
        switch error {
        case .nonsense: self = AgentLink.nonsense
        case .outOfMemory: self = .outOfMemory
        }
    }

    /// Why the agent did not do it. What a vault says is told elsewhere.
    init(_ failure: AgentFailure) {
        switch failure {
        case .vault(let error): self.init(error, vault: nil)
        case .version(let version): self = .otherVersion(version)
        case .malformed:
            self.init(
                .agentUnavailable, "the agent did not understand the request",
                hint: "coffer agent stop ends it; is it of another version?")
        case .busy: self.init(.ioError, "the agent has too much to do at this time", hint: "try again")
        case .staleEpoch:
            self.init(
                .locked, "a lock came while the passphrase was asked for, so nothing was unlocked",
                hint: "coffer unlock again, if it is meant")
        case .refused(let refusal): self.init(.refused, refusal.reason)
        case .generation: self.init(.ioError, "another program saved the vault meanwhile", hint: "try again")
        }
    }

    /// Why no agent could be started.
    init(_ error: AgentStartError) {
        switch error {
        case .failed(let step, let number):
            self.init(
                .agentUnavailable,
                "no agent could be started: \(step)\(number == 0 ? "" : ": \(SystemError(number: number).text)")")
        case .refused(let path, let reason):
            self.init(
                .agentUnavailable, "\(Escaping.quoted(path)): \(reason)",
                hint: "COFFER_RUNTIME_DIR names another directory")
        case .ended(let status):
            self.init(
                .agentUnavailable, "the agent ended with status \(status) before it was ready",
                hint: "coffer agent run says why")
        case .timedOut:
            self.init(
                .agentUnavailable, "the agent was not ready in time, and was ended", hint: "coffer agent run says why")
        }
    }

    /// How an agent ended; nothing for one that ended as it should.
    init?(_ outcome: AgentProgram.Outcome) {
        switch outcome {
        case .ended: return nil
        case .alreadyRunning: self.init(.refused, "an agent is running already", hint: "coffer agent stop ends it")
        case .refused(let path, let reason):
            self.init(
                .agentUnavailable, "\(Escaping.quoted(path)): \(reason)",
                hint: "COFFER_RUNTIME_DIR names another directory")
        case .failed(let step, let number, let path):
            let reason = number == 0 ? "" : ": \(SystemError(number: number).text)"
            self.init(.ioError, "\(Escaping.quoted(path)): could not \(step)\(reason)")
        }
    }

    /// There is no agent, so nothing is unlocked.
    static let noAgent = Failure(
        .agentUnavailable, "no agent is running, so no vault is unlocked", hint: "coffer unlock starts one")

    private static func otherVersion(_ version: UInt32) -> Failure {
        Failure(
            .agentUnavailable,
            "the agent that is running speaks version \(version) of the protocol, and this coffer version "
                + "\(AgentProtocol.version)",
            hint: "coffer agent stop ends it, which locks everything; coffer unlock starts one of this version")
    }
}
