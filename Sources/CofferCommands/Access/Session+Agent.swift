internal import Coffer
internal import CofferAgent

extension Session {
    /// The vault in a message.
    var quotedVault: String { (try? vaultPath()).map { "the vault \(Escaping.quoted($0))" } ?? "the vault" }

    /// The path of the vault as the agent is told it: this process may stand in another directory.
    func absoluteVaultPath() throws(Failure) -> String { try absolute(try vaultPath()) }

    private func absolute(_ path: String) throws(Failure) -> String {
        do throws(AbsolutePath.Failure) { return try AbsolutePath.of(path) } catch {
            switch error {
            case .noWorkingDirectory(let number):
                throw .system("finding the working directory", SystemError(number: number))
            case .notText:
                throw Failure(
                    .ioError, "the path of the working directory is not valid UTF-8", hint: "use an absolute path")
            }
        }
    }

    /// Where the agent of this user listens.
    func agentLocation() throws(Failure) -> AgentLocation {
        do throws(AgentClientError) { return try AgentLocation.ofUser() } catch { throw Failure(error) }
    }

    /// Connects to the agent, for a verb that is about nothing else.
    ///
    /// - Parameter anyVersion: whether it may speak another version: it can lock everything, and end.
    /// - Throws: `agentUnavailable` when there is none.
    func agent(anyVersion: Bool = false) throws(Failure) -> AgentLink {
        try refuseNoAgent()
        let location = try agentLocation()
        do throws(AgentClientError) { return try link(to: location, anyVersion: anyVersion) } catch {
            throw Failure(error)
        }
    }

    /// Connects. An agent that ends before it greets is as none, and by now there may be another.
    private func link(to location: AgentLocation, anyVersion: Bool = false) throws(AgentClientError) -> AgentLink {
        do throws(AgentClientError) { return try AgentLink(to: location, anyVersion: anyVersion) } catch {
            guard error == .broken else { throw error }
            return try AgentLink(to: location, anyVersion: anyVersion)
        }
    }

    /// Connects to the agent, and starts one first if none runs.
    func startedAgent() throws(Failure) -> AgentLink {
        try refuseNoAgent()
        let location = try agentLocation()
        // What was started may be stopped at once by somebody who meant the one before.
        for _ in 0..<2 {
            do throws(AgentClientError) { return try link(to: location) } catch {
                guard case .noAgent = error else { throw Failure(error) }
            }
            do throws(AgentStartError) { try AgentStarter.start(at: location) } catch { throw Failure(error) }
        }
        do throws(AgentClientError) { return try link(to: location) } catch { throw Failure(error) }
    }

    /// Lets a verb read and change the settings: in the agent if that has the vault unlocked, else in this process.
    ///
    /// The verb is run again when it turns out at its first question that the vault is not unlocked in the agent.
    func withAccess<Result>(_ body: (any SettingsAccess) throws -> Result) throws -> Result {
        if let agent = try agentAccess() {
            do { return try body(agent) } catch let none as AgentAccess.NotUnlocked { tell(none) }
        }
        let vault: Vault
        do { vault = try unlockedVault() } catch let failure as Failure where failure.code == .locked {
            throw Failure(
                .locked, failure.message, hint: failure.hint.map { "\($0), or unlock the vault: coffer unlock" })
        }
        defer { vault.lock() }
        return try body(LocalAccess(vault, self))
    }

    /// The settings in the agent; nothing if there is no agent, or it is not to be asked.
    ///
    /// An option that gives the passphrase is taken at its word, and an unexpected file is for the owner to accept.
    ///
    /// - Parameter path: of another file than the vault.
    func agentAccess(path: String? = nil) throws(Failure) -> AgentAccess? {
        guard !arguments.has(.noAgent), !arguments.has(.acceptUnexpected),
            try PassphraseOrigin.chosen(in: arguments, .current) == nil
        else { return nil }
        let chosen = if let path { path } else { try vaultPath() }
        let path = try absolute(chosen)
        // Nobody can have unlocked it there.
        guard AgentProtocol.isPath(path) else { return nil }
        do throws(AgentClientError) {
            return AgentAccess(try AgentLink(asking: try AgentLocation.ofUser(), about: path), self, path: path)
        } catch {
            tell(AgentAccess.NotUnlocked(reason: Failure(error)))
            return nil
        }
    }

    /// Says what is wrong with an agent that is not asked any further. Whoever has none needs none.
    func tell(_ none: AgentAccess.NotUnlocked) {
        guard let reason = none.reason, reason != .noAgent else { return }
        console.warning(reason.message, hint: reason.hint)
    }

    private func refuseNoAgent() throws(Failure) {
        guard !arguments.has(.noAgent) else { throw .usage("this is about the agent, which --no-agent forbids to ask") }
    }

    /// Says what the agent cannot do as it should with a vault that it has unlocked.
    func warnOfLocking(_ warnings: [VaultWarning]) {
        for warning in warnings {
            switch warning {
            case .triggerUnavailable(let name, let number):
                console.warning("the agent does not notice \(name) here: \(SystemError(number: number).text)")
            case .timerUnavailable:
                console.warning("the agent has no timer: what is overdue is locked at the next use, and not before")
            case .fileNotWatched(let number):
                console.warning(
                    "the agent cannot watch the vault's file: \(SystemError(number: number).text)",
                    hint: "it notices a new passphrase at the next use only")
            case .weakKeyDerivation, .readableByOthers, .groupNotKept, .syncedEverything, .freshnessNotRemembered: break
            }
        }
    }

    /// Says what is not as it should be with the agent's memory.
    ///
    /// - Parameter vault: what is held of the vault in question, whose own memory counts.
    func warnOfAgent(_ memory: AgentMemory, holding vault: AgentVaultStatus?) {
        if !(vault?.isMemoryLocked ?? memory.isLocked) {
            console.warning(
                "the agent's memory could not be locked, so secrets may reach the swap space while a vault is unlocked",
                hint: "raise the limit that ulimit -l shows, and start the agent again")
        }
        if memory.refusals.contains(.notDumpable) {
            console.warning("other processes of this user may look into the agent's memory: the system lets them")
        }
        if memory.refusals.contains(.noCore) {
            console.warning("a crash may write the agent's memory to a core file")
        }
    }
}

extension CommandOption {
    static let noAgent = CommandOption(
        "no-agent", nil, "do not ask the agent: unlock the vault in this process, with its passphrase")
}
