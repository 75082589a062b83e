internal import Coffer
internal import CofferAgent

/// `status`: whether the vault is unlocked, and for how long.
enum StatusCommand {
    static let command = Command(
        "status", "say whether the vault is unlocked, and for how long", options: [.json],
        details: [
            "The exit code is 0 if the agent has the vault unlocked, 14 if it is locked, and 18 if no agent is running. It is "
                + "18, too, if the agent cannot be used or does not answer: then nobody knows. With --quiet the exit code is "
                + "all that is said, unless --json is given. Asking extends no time.",
            "Where systemd listens for the agent, asking starts one: without one it is then 14 instead of 18.",
            "With --json, state and running are null where an agent gives no answer, so that nobody knows.",
            "Without the agent a vault is unlocked only while a command runs.",
        ],
        examples: [
            .init("coffer status -q || coffer unlock", "asks for the passphrase if it is needed"),
            .init("coffer status --json", "the same for programs, times in seconds"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let path = try session.absoluteVaultPath()
        let location = try session.agentLocation()
        let (status, memory): (AgentStatus, AgentMemory)
        do throws(Failure) {
            let agent = try session.agent()
            (status, memory) = (try AgentStatus(of: path, agent), try agent.memory())
        } catch {
            guard error.code != .usage else { throw error }
            if session.arguments.has(.json) {
                let unanswered = StatusText.json(withoutAnswer: path, isKnown: error == .noAgent, location.socketPath)
                try session.console.write(unanswered)
                throw error
            }
            throw session.console.isQuiet && error.code == .agentUnavailable ? error.silent : error
        }
        if session.arguments.has(.json) {
            try session.console.write(StatusText.json(path, status, memory, socket: location.socketPath))
        } else if !session.console.isQuiet {
            try session.console.write(StatusText.text(path, status, memory, socket: location.socketPath))
            session.warnOfAgent(memory, holding: status.vault)
            session.warnOfLocking(status.vault?.warnings ?? [])
        }
        // All is said already.
        if status.vault == nil { throw Failure(.locked, "\(session.quotedVault) is locked").silent }
    }
}
