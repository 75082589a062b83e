internal import Coffer
internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// The settings of a vault that this process has unlocked.
struct LocalAccess: SettingsAccess {
    private let vault: Vault
    private let session: Session
    private let path: String

    /// - Parameters:
    ///   - vault: unlocked.
    ///   - session: hears the warnings of a save.
    init(_ vault: Vault, _ session: Session) throws(Failure) {
        self.vault = vault
        self.session = session
        path = try session.vaultPath()
    }

    func prepare() {}

    func withValues(of names: [String], _ body: (_ found: [Int?], _ lend: ValueLender) throws -> Void) throws {
        try vault.withValues(of: names) { (reader, objects) throws(VaultError) in
            Result {
                try body(objects) { (position, body) throws(Failure) in
                    guard let object = objects[position] else { return }
                    try body(reader, object)
                }
            }
        }.get()
    }

    func entries() throws -> [SettingEntry] {
        try vault.withHistory { (reader, names, modified, now) throws(VaultError) in
            zip(names, zip(0..<reader.count(of: 0), modified)).map { name, setting in
                SettingEntry(
                    name: name, kind: reader.kind(of: reader.value(setting.0)), modified: setting.1,
                    age: setting.1.map { MetadataTime.age(of: $0, now: now) })
            }
        }
    }

    func set(_ name: String, to list: borrowing GuardedBuffer, replacing: Bool) throws -> PropertyListKind? {
        let before = try vault.withValue(of: name) { (reader, object) throws(VaultError) in reader.kind(of: object) }
        let bytes = list.bytes
        try update(DoneText.set(name)) { draft in
            guard try replacing || !draft.contains(name) else { throw Failure.wouldReplace(name) }
            draft.set(name, list: bytes)
        }
        return before
    }

    func remove(_ names: [String], undoable: Bool) throws {
        try update(DoneText.removed) { draft in
            for name in names {
                // What an earlier --undoable kept is there to be removed as well.
                let isThere = try draft.contains(name) || (!undoable && draft.canUndo(name))
                guard isThere else { throw Failure.notFound(name, vault: path) }
            }
            // A name that was given twice is gone by the second time.
            for name in names { _ = draft.remove(name, undoable: undoable) }
        }
    }

    func rename(_ name: String, to newName: String, replacing: Bool) throws {
        try update(DoneText.renamed) { draft in
            guard try draft.contains(name) else { throw Failure.notFound(name, vault: path) }
            guard try replacing || name == newName || !draft.contains(newName) else { throw Failure.isTaken(newName) }
            draft.rename(name, to: newName, replacing: replacing)
        }
    }

    func undo(_ name: String) throws -> Bool {
        try update(DoneText.undone(name)) { draft in
            let isThere = try draft.contains(name)
            guard try draft.canUndo(name) else {
                throw isThere ? Failure.nothingToUndo(name) : Failure.notFound(name, vault: path)
            }
            draft.undo(name)
            return isThere
        }
    }

    private func update<Result>(_ done: String, _ body: (inout Draft) throws -> Result) throws -> Result {
        let result = try session.saving(done) { try vault.update(body) }
        session.warnOfSave(vault)
        return result
    }
}
