public import Coffer
internal import CofferAgent
internal import PropertyLists

extension AgentVault {
    /// Lends the bytes of a secret, as the agent sent them: in guarded memory that is wiped when the closure has ended.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - body: reads the bytes, data or text as UTF-8; the span cannot leave it. A lock meanwhile lets it end.
    /// - Returns: what `body` returns.
    /// - Throws: `locked`, also without an agent; `notFound`, since a secret has no default; `typeMismatch` when it is
    ///   neither text nor data; `refused`, `ioError` and what else reading a setting throws; what `body` throws.
    public func withBytes<Result: ~Copyable>(of key: SecretKey, _ body: (RawSpan) throws -> Result) throws -> Result {
        guard let found = try find(key.name) else { throw VaultError.notFound(name: key.name) }
        return try found.withReader { (reader) in
            try SecretReading.withBytes(0, of: reader, named: key.name, body)
        }
    }

    /// Copies a secret into guarded memory of this program.
    ///
    /// - Parameter key: the secret.
    /// - Returns: the copy, which outlives a lock.
    /// - Throws: `locked`, `notFound`, `typeMismatch`, `notEnoughMemory`; what else reading a setting throws.
    public func secret(for key: SecretKey) throws(VaultError) -> Secret {
        guard let found = try find(key.name) else { throw .notFound(name: key.name) }
        return try found.withReader { (reader) throws(VaultError) -> Secret in
            Secret(try SecretReading.copy(0, of: reader, named: key.name))
        }
    }

    /// Lists the names of all settings, in the order of their bytes.
    ///
    /// - Returns: the names, as Swift strings, all of one save.
    /// - Throws: `locked`, also without an agent; `refused`, `ioError` and what else reading a setting throws.
    public func names() throws(VaultError) -> [String] { try questions().settings().map(\.name) }

    /// Says when a setting last got another value.
    ///
    /// - Parameter key: the setting.
    /// - Returns: nil when it is not known.
    /// - Throws: what the form with a name throws.
    public func modified<Value>(_ key: SettingKey<Value>) throws(VaultError) -> SettingDate? { try modified(key.name) }

    /// Says when a secret last got another value.
    ///
    /// - Parameter key: the secret.
    /// - Returns: nil when it is not known.
    /// - Throws: what the form with a name throws.
    public func modified(_ key: SecretKey) throws(VaultError) -> SettingDate? { try modified(key.name) }

    /// Says when a setting last got another value, by the clock of the machine that saved it.
    ///
    /// - Parameter name: the setting's name.
    /// - Returns: nil when it is not known, as for settings that a program changed which keeps no ages.
    /// - Throws: `notFound` when there is no such setting; `locked`, also without an agent; what else reading a setting
    ///   throws.
    public func modified(_ name: String) throws(VaultError) -> SettingDate? {
        try AgentQuestions.check(name)
        let questions = try questions()
        let exact = SettingName(name)
        if let entry = try entry(exact, questions) { return Self.date(of: entry) }
        let normal = try exact.normalized()
        guard normal != exact, let entry = try entry(normal, questions) else { throw .notFound(name: name) }
        return Self.date(of: entry)
    }

    private static func date(of entry: AgentEntry) -> SettingDate? {
        entry.modified.map { SettingDate(millisecondsSince1970: $0) }
    }

    /// The setting of exactly this name.
    private func entry(_ name: SettingName, _ questions: AgentQuestions) throws(VaultError) -> AgentEntry? {
        // What comes before it in any vault, and not long before in most: the name without its last character.
        let before = String(String(decoding: name.utf8, as: UTF8.self).unicodeScalars.dropLast())
        let entries = try questions.settings(after: before.isEmpty ? nil : before) {
            SettingName($0.name) >= name
        }
        return entries.first { SettingName($0.name) == name }
    }
}
