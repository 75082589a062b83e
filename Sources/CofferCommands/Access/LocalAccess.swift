internal import Coffer
internal import CofferAgent
internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// The settings of a vault that this process has unlocked.
struct LocalAccess: SettingsAccess {
    private let vault: Vault
    private let session: Session

    /// - Parameters:
    ///   - vault: unlocked.
    ///   - session: hears the warnings of a save.
    init(_ vault: Vault, _ session: Session) {
        self.vault = vault
        self.session = session
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

    func change(_ steps: [AgentStep], _ values: RawSpan, _ done: String) throws -> [AgentOutcome] {
        let outcomes = try session.saving(done) {
            try vault.update { draft throws in try ChangeSteps.apply(steps, values, to: &draft) }
        }
        session.warnOfSave(vault)
        return outcomes
    }
}
