internal import PropertyLists
internal import SecureMemory
internal import VaultFile

extension Vault {
    /// Changes settings in one transaction: one lock of the file, the newest content, one atomic save.
    ///
    /// The file is locked and read again if another process saved it; the closure runs once on the newest content;
    /// then all its changes are saved, or none. When this returns, they are on the disk. A closure that throws, and one
    /// that changes nothing, saves nothing.
    ///
    /// - Parameter body: changes the draft. It should neither wait for a person nor change this vault by another call.
    /// - Returns: what `body` returns.
    /// - Throws: `savedButNotSynced` when the changes are in force but a power cut may undo them: do not repeat them. All
    ///   else means that nothing was saved: `locked`; `conflict` when the passphrase was changed elsewhere;
    ///   `rolledBack`, `forked` or `replaced` when the file does not follow what was seen; `limitExceeded`;
    ///   `refused` for a name or nesting; `ioError` naming the step; what reading the file throws; what `body` throws.
    @discardableResult
    public func update<Result: ~Copyable>(_ body: (inout Draft) throws -> Result) throws -> Result {
        try refuseNesting()
        return try changingFile { try saveUpdate(body) }
    }

    private func saveUpdate<Result: ~Copyable>(_ body: (inout Draft) throws -> Result) throws -> Result {
        let lease = try lease()
        var change = try Change(of: try store(), freshness: freshness)
        let base = try change.newest(lease)
        if base !== lease.snapshot {
            // What another process saved is what reads see from now on, whatever becomes of this update.
            _ = install(base, over: lease)
        }
        var draft = try Draft(of: base.plaintext)
        let result = try asUpdater { try body(&draft) }
        // A child forked in the closure holds zeros, and a draft swapped with another vault's is not of this file.
        try lease.checkProcess()
        guard draft.base === base.plaintext else { throw VaultError.refused(reason: Draft.isOfAnother) }
        if let failure = draft.failure { throw failure }
        guard !draft.isEmpty else { return result }
        let saved = try change.save(
            try draft.composed(path: change.path, at: surroundings.wallClock()), key: lease.key,
            slots: base.header.slots)
        // A lock meanwhile wins: then nothing is kept in memory, but the save stands.
        install(saved, key: lease.key, since: lease.epoch, changed: draft.changedNames)
        try saved.checkSynced()
        return result
    }
}

extension Draft {
    static let isOfAnother = "the draft is that of another update"

    /// Composes the next generation of what the draft was made of.
    ///
    /// - Parameter now: the present, in milliseconds since 1970.
    borrowing func composed(path: String, at now: Int64) throws(VaultError) -> VaultPlaintext {
        let (base, changes) = (base, settingsChanges)
        return try translating(path) { () throws(VaultFileError) in
            try base.next(changes: changes, values: values.bytes, now: now)
        }
    }
}
