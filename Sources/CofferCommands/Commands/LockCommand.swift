internal import CofferAgent

/// `lock`: the agent forgets a vault's key and settings.
enum LockCommand {
    static let command = Command(
        "lock", "have the agent forget the vault's key and settings", options: [.all],
        details: [
            "Its memory holds zeros when this returns, but for a request that is being answered. An unlock that has begun "
                + "and not ended is refused.",
            "If no agent is running, nothing is unlocked; the exit code is 18 then. It is 18, too, if the agent cannot be used "
                + "or does not answer: then the message says so, and a vault may still be unlocked.",
        ],
        examples: [.init("coffer lock --all", "every vault that you have unlocked")], run: run)

    private static func run(_ session: Session) throws {
        let isAll = session.arguments.has(.all)
        let path = isAll ? nil : try session.absoluteVaultPath()
        let agent = try session.agent(anyVersion: isAll)
        switch try agent.ask(.lock(path: path)) {
        case .done: break
        case .failure(.vault(let error)): throw error
        case .failure(let failure): throw Failure(failure)
        default: throw AgentLink.nonsense
        }
        session.console.note(isAll ? "all vaults are locked" : "\(Escaping.quoted(try session.vaultPath())) is locked")
    }
}

extension CommandOption {
    static let all = CommandOption("all", short: "a", nil, "every vault, whatever --vault says")
}
