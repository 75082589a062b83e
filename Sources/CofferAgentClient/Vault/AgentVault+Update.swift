public import Coffer
internal import CofferAgent

extension AgentVault {
    /// Changes settings in one transaction: the agent makes all changes in one atomic save, or none.
    ///
    /// When this returns, they are on the disk. A closure that throws, and one that changes nothing, saves nothing; but
    /// for the latter, too, the vault must be unlocked. What the closure reads is of one save; if another save comes
    /// before the agent makes the change, the closure **runs again** on the newest content, so it should do nothing but
    /// read and change the draft. One that only changes, and reads nothing, runs once; what removing returns is read.
    ///
    /// - Parameter body: changes the draft. It should neither wait for a person nor change this vault by another call.
    /// - Returns: what `body` returned when it ran last.
    /// - Throws: `savedButNotSynced` when the changes are in force but a power cut may undo them: do not repeat them.
    ///   `outcomeUnknown` when the agent vanished meanwhile, or gave no answer that means anything: they may be saved
    ///   or not, so look before you do it again. All else means that nothing was saved: `locked`,
    ///   also without an agent; `conflict` when the passphrase was changed elsewhere; `rolledBack`, `forked` or
    ///   `replaced` when the file does not follow what was seen; `limitExceeded`; `refused` for a name, for nesting,
    ///   and when the agent is another user's; `ioError` naming the step, also when 16 runs were each outrun by
    ///   another save; what reading throws; what `body` throws.
    @discardableResult
    public func update<Result: ~Copyable>(_ body: (inout AgentDraft) throws -> Result) throws -> Result {
        let questions = try questions()
        try questions.connections.updaters.refuseNesting()
        return try OneSave.read(orThrow: VaultError.outrun as any Error) {
            try attempt(questions, body)
        }
    }

    /// Runs the closure and has its changes made.
    ///
    /// - Returns: nil if the closure has to run again.
    private func attempt<Result: ~Copyable>(
        _ questions: AgentQuestions, _ body: (inout AgentDraft) throws -> Result
    ) throws -> Result? {
        let base = AgentBase(questions)
        var draft = try AgentDraft(of: base)
        let result: Result
        do { result = try questions.connections.updaters.with { try body(&draft) } } catch {
            // It may have thrown for what it saw half of.
            if base.isOutdated { return nil }
            throw error
        }
        guard draft.base === base else { throw VaultError.refused(reason: "the draft is that of another update") }
        if base.isOutdated { return nil }
        if let failure = draft.failure { throw failure }
        // Also with nothing to change: what was read may be older than a save of a moment ago, and the vault be locked.
        switch try questions.connections.change(try draft.finish()) {
        case .changed: return result
        case .failure(.generation): return nil
        case .failure(let failure): throw VaultError(failure)
        default: throw VaultError.outcomeUnknown(path: questions.path)
        }
    }

    /// Swaps the value of a setting and the one before its last change, or brings back one that was removed for undo.
    ///
    /// It is an ``update(_:)`` with nothing but an undo, so undoing twice changes nothing.
    ///
    /// - Parameter name: the setting's name.
    /// - Throws: `notFound` when there is no such setting and none to bring back, `refused` when no value from before is
    ///   kept, and what ``update(_:)`` throws.
    public func undo(_ name: String) throws(VaultError) {
        do {
            try update { draft in draft.undo(name) }
        } catch let error as VaultError {
            throw error
        } catch {
            // The closure throws nothing, and all else that an update throws is of the type above.
            throw .refused(reason: "the change was not made")
        }
    }

    /// Takes back the last change of a setting, as the form with a name does.
    ///
    /// - Parameter key: the setting.
    /// - Throws: what the form with a name throws.
    public func undo<Value>(_ key: SettingKey<Value>) throws(VaultError) { try undo(key.name) }

    /// Takes back the last change of a secret, as the form with a name does.
    ///
    /// - Parameter key: the secret.
    /// - Throws: what the form with a name throws.
    public func undo(_ key: SecretKey) throws(VaultError) { try undo(key.name) }
}
