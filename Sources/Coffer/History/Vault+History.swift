package import PropertyLists
internal import SecureMemory
internal import VaultFile

extension Vault {
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

    /// Says when a setting last got another value.
    ///
    /// The clock is that of the machine that saved it. A time more than a day ahead of this machine's is given as now.
    ///
    /// - Parameter name: the setting's name.
    /// - Returns: nil when it is not known, as for settings that a program changed which keeps no ages.
    /// - Throws: `notFound` when there is no such setting; `locked`; what reading the file throws.
    public func modified(_ name: String) throws(VaultError) -> SettingDate? {
        let plaintext = try snapshot().plaintext
        let exact = SettingName(name)
        var index = index(of: exact, in: plaintext)
        if index == nil { index = self.index(of: try exact.normalized(), in: plaintext) }
        guard let index else { throw .notFound(name: name) }
        let now = surroundings.wallClock()
        let times = try translating("") { () throws(VaultFileError) in
            try plaintext.modified(index..<index + 1, now: now)
        }
        guard let time = times.first ?? nil else { return nil }
        return SettingDate(millisecondsSince1970: time)
    }

    /// Lends a reader of all settings with their names, when each of them last changed, and the present, all of one save.
    ///
    /// - Parameter body: gets the reader; the names; a time or nil for each of them, and the present, in milliseconds
    ///   since 1970.
    package func withHistory<Result: ~Copyable>(
        _ body: (PropertyListReader, _ names: [String], _ modified: [Int64?], _ now: Int64) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        let plaintext = try snapshot().plaintext
        let now = surroundings.wallClock()
        let reader = PropertyListReader(trusted: plaintext.settings)
        let count = reader.count(of: 0)
        let times = try translating("") { () throws(VaultFileError) in try plaintext.modified(0..<count, now: now) }
        return try body(reader, try ValueReading.keys(of: reader), times, now)
    }

    private func index(of name: SettingName, in plaintext: VaultPlaintext) -> Int? {
        PropertyListReader(trusted: plaintext.settings).find(name.utf8.rawSpan)?.index
    }
}
