internal import Coffer
internal import CofferAgent

/// `status`: whether the vault is unlocked, and for how long.
enum StatusCommand {
    static let command = Command(
        "status", "say whether the vault is unlocked, and for how long", options: [.json],
        details: [
            "The exit code is 0 if the agent has the vault unlocked, 14 if it is locked, and 18 if no agent is running; with "
                + "--quiet it is all that is said. Asking extends no time.",
            "Where systemd listens for the agent, asking starts one: without one it is then 14 instead of 18.",
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
        let agent: AgentLink
        do throws(Failure) { agent = try session.agent() } catch {
            guard error.code == .agentUnavailable else { throw error }
            let isSilent = session.console.isQuiet && !session.arguments.has(.json)
            if session.arguments.has(.json) {
                try session.console.write(StatusText.json(path, nil, nil, socket: location.socketPath))
            }
            throw isSilent ? error.silent : error
        }
        let status = try AgentStatus(of: path, agent)
        let memory = try agent.memory()
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
