internal import Coffer
internal import CofferAgent
internal import SecureMemory

/// `unlock`: the agent gets the key of a vault and keeps it for a while.
enum UnlockCommand {
    static let command = Command(
        "unlock", "keep the vault unlocked in the agent, for a while", options: [.idle, .maximum],
        details: [
            "The passphrase is asked for once. From then on get, set and the like need none, until the vault is locked: by "
                + "coffer lock; when nobody has used it for the time of --idle; in any case after the time of --max; after a "
                + "sleep of the machine, when the agent ends, or when the passphrase is changed.",
            "The agent is a process of yours that starts by itself and outlives the terminal. It gets the key, never the "
                + "passphrase, and hands out values, never the key. Another unlock begins both times anew.",
            "While it is unlocked, the settings are those of the newest save. A file that is removed, damaged or replaced by an "
                + "older one meanwhile changes nothing of that, and is told when something is to be changed.",
            "A time is \(DurationText.form(suchAs: "15m")), or never.",
        ],
        examples: [
            .init("coffer unlock", "for 8 hours at most, and 15 minutes without use"),
            .init("coffer unlock --idle never --max 1h", "for an hour"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let path = try session.vaultPath()
        let idle = try time(.idle, in: session.arguments) ?? .limited(.seconds(900))
        let maximum = try time(.maximum, in: session.arguments) ?? .limited(.seconds(8 * 3600))
        _ = try PassphraseOrigin.chosen(in: session.arguments, .current)
        // A missing or damaged file is found before an agent is started for it.
        let vault = try session.vault()
        _ = try vault.inspect()
        let absolute = try session.absoluteVaultPath()
        let agent = try session.startedAgent()
        // Before the passphrase is asked for: a lock from here on wins.
        let epoch = try Self.epoch(of: absolute, agent)
        let key = try derivedKey(of: vault, session)
        let request = AgentUnlock(
            path: absolute, epoch: epoch, key: key, idle: idle.duration, maximumAge: maximum.duration,
            acceptsUnexpected: session.arguments.has(.acceptUnexpected))
        switch try agent.handOver(request) {
        case .some(.done): break
        case .some(.failure(.vault(.locked))): throw Failure(AgentFailure.staleEpoch)
        case .some(.failure(.vault(let error))): throw error
        case .some(.failure(let failure)): throw Failure(failure)
        default: throw takenBack(absolute, session)
        }
        let memory = try agent.memory()
        do throws(Failure) {
            let held = try AgentStatus(of: absolute, agent)
            session.warnOfAgent(memory, holding: held.vault)
            session.warnOfFile(at: path, held.vault?.warnings ?? [])
            session.warnOfLocking(held.vault?.warnings ?? [])
        } catch {
            // It is unlocked all the same.
            session.warnOfAgent(memory, holding: nil)
            session.console.warning("it is not known how the vault is guarded: \(error.message)", hint: "coffer status")
        }
        session.console.note(
            "\(Escaping.quoted(path)) is unlocked and locks \(told(idle, maximum)); coffer lock does so at once")
    }

    /// Has the agent forget a key of which it did not say what it has done with it; it may be busy, and use it later.
    private static func takenBack(_ path: String, _ session: Session) -> Failure {
        let unknown = "the agent did not say whether it has unlocked the vault"
        guard isLocked(path, session) else {
            return Failure(
                .agentUnavailable, "\(unknown), so it may be unlocked",
                hint: "coffer status says whether it is, and coffer lock locks it")
        }
        return Failure(.agentUnavailable, "\(unknown), so it is locked again", hint: "try again")
    }

    // On a connection of its own: nothing more comes on the other.
    private static func isLocked(_ path: String, _ session: Session) -> Bool {
        do throws(Failure) {
            guard case .done = try session.agent().ask(.lock(path: path)) else { return false }
            return true
        } catch {
            return error == .noAgent
        }
    }

    private static func epoch(of path: String, _ agent: AgentLink) throws -> UInt64 {
        switch try agent.ask(.epoch(path: path)) {
        case .epoch(let epoch): return epoch
        case .failure(.vault(let error)): throw error
        case .failure(let failure): throw Failure(failure)
        default: throw AgentLink.nonsense
        }
    }

    private static func derivedKey(of vault: Vault, _ session: Session) throws -> GuardedBuffer {
        let passphrase = try PassphraseSource(session.arguments, vault: try session.vaultPath()).current()
        let allowingAnyMemory = session.arguments.has(.allowLargeMemory)
        let key = try session.whileDeriving { () throws(VaultError) in
            try vault.deriveKey(passphrase, allowingAnyMemory: allowingAnyMemory)
        }
        return try key.withBytes { (bytes) throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) }
    }

    /// How long something may last.
    private enum Time {
        case limited(Duration)
        case unlimited

        var duration: Duration? {
            if case .limited(let duration) = self { return duration }
            return nil
        }
    }

    private static func time(_ option: CommandOption, in arguments: Arguments) throws(Failure) -> Time? {
        guard let text = arguments.value(of: option) else { return nil }
        if text == "never" { return .unlimited }
        guard let duration = DurationText.duration(of: text), duration > .zero else {
            throw .usage("\(option.spelling) is \(DurationText.form(suchAs: "15m")), or never")
        }
        return .limited(duration)
    }

    private static func told(_ idle: Time, _ maximum: Time) -> String {
        switch (idle.duration, maximum.duration) {
        case (nil, nil): "when it is told to"
        case (let idle?, nil): "after \(DurationText.text(of: idle)) without use"
        case (nil, let maximum?): "after \(DurationText.text(of: maximum))"
        case (let idle?, let maximum?):
            "after \(DurationText.text(of: idle)) without use, and after \(DurationText.text(of: maximum)) in any case"
        }
    }
}

extension CommandOption {
    static let idle = CommandOption("idle", "TIME", "lock when nobody has used the vault for TIME: 15m unless told")
    static let maximum = CommandOption("max", "TIME", "lock after TIME in any case: 8h unless told")
}
