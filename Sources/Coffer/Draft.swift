internal import PropertyLists
public import SecureMemory

/// The settings as they will be after an update; nothing is saved until the update's closure has returned.
///
/// A change that the format does not allow makes the whole update throw after its closure, and nothing is saved.
public struct Draft: ~Copyable {
    let base: Snapshot
    /// Where a changed value stands in `values`, or nil for a setting that is removed.
    var changes: [SettingName: Range<Int>?] = [:]
    var values: GuardedArena
    var history = DraftHistory()
    /// The first change that could not be made.
    private(set) var failure: VaultError?

    init(of base: Snapshot) throws(VaultError) {
        self.base = base
        values = try translating { () throws(SecureMemoryError) in try GuardedArena() }
    }

    // MARK: Changing

    /// Sets a setting that is no secret.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - value: its new value.
    public mutating func set<Value: SettingValue>(_ key: SettingKey<Value>, to value: Value) {
        let stored = value.stored
        change(key.name) { (values) throws(VaultError) in try Self.append(stored, to: &values) }
    }

    /// Sets a secret: as a string when its bytes are UTF-8, else as data.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - secret: its new value, which is copied from guarded memory to guarded memory.
    public mutating func set(_ key: SecretKey, to secret: borrowing Secret) {
        do throws(VaultError) {
            guard !secret.isForeign else { throw .refused(reason: Passphrase.madeBeforeFork) }
            let name = try target(key.name)
            let range = try secret.withBytes { (bytes) throws(VaultError) in
                try Self.append(text: bytes, to: &values)
            }
            changes.updateValue(range, forKey: name)
        } catch {
            fail(error)
        }
    }

    /// Sets a value of any type that is already in canonical form.
    package mutating func set(_ name: String, list: RawSpan) {
        do throws(VaultError) {
            let name = try target(name)
            let range = try translating { () throws(SecureMemoryError) in try values.append(list) }
            changes.updateValue(range, forKey: name)
        } catch {
            fail(error)
        }
    }

    // MARK: Reading

    /// Reads a setting as it will be.
    ///
    /// - Parameter key: the setting.
    /// - Returns: its value, or the key's default when it is absent.
    /// - Throws: `typeMismatch` when it has another type.
    public func get<Value: SettingValue>(_ key: SettingKey<Value>) throws(VaultError) -> Value {
        guard let name = try existing(key.name) else { return key.defaultValue }
        if case .some(.some(let range)) = changes[name] {
            let list = values.bytes.extracting(range)
            return try ValueReading.value(0, of: PropertyListReader(trusted: list), for: key)
        }
        guard let object = base.value(of: name) else { return key.defaultValue }
        return try base.withSettings { (reader) throws(VaultError) in
            try ValueReading.value(object, of: reader, for: key)
        }
    }

    /// Lends the bytes of a secret as it will be.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - body: reads the bytes in place; UTF-8 for a string.
    /// - Returns: what `body` returns.
    /// - Throws: `notFound`, `typeMismatch`, or what `body` throws.
    public func withBytes<Result>(of key: SecretKey, _ body: (RawSpan) throws -> Result) throws -> Result {
        guard let name = try existing(key.name) else { throw VaultError.notFound(name: key.name) }
        if case .some(.some(let range)) = changes[name] {
            let list = values.bytes.extracting(range)
            return try ValueReading.withBytes(0, of: PropertyListReader(trusted: list), named: key.name, body)
        }
        guard let object = base.value(of: name) else { throw VaultError.notFound(name: key.name) }
        return try base.withSettings { (reader) in
            try ValueReading.withBytes(object, of: reader, named: key.name, body)
        }
    }

    /// Whether there will be a setting of this name.
    ///
    /// - Parameter name: the setting's name.
    /// - Returns: whether it is present.
    /// - Throws: `limitExceeded` for a name that is far too long, `notEnoughMemory`.
    public func contains(_ name: String) throws(VaultError) -> Bool {
        try existing(name) != nil
    }

    // MARK: What the update saves

    /// Whether anything was changed.
    var isEmpty: Bool { changes.isEmpty }

    // MARK: Names

    func isPresent(_ name: SettingName) -> Bool {
        if let change = changes[name] { return change != nil }
        return base.value(of: name) != nil
    }

    /// The name under which a setting is there: as it is spelled, else in composed form.
    func existing(_ spelling: String) throws(VaultError) -> SettingName? {
        let exact = SettingName(spelling)
        if isPresent(exact) { return exact }
        let normal = try exact.normalized()
        return isPresent(normal) ? normal : nil
    }

    /// The name under which a setting is to be written.
    func target(_ spelling: String) throws(VaultError) -> SettingName {
        if let name = try existing(spelling) { return name }
        let name = try SettingName(spelling).normalized()
        try name.check()
        return name
    }

    // MARK: Values

    private mutating func change(
        _ spelling: String, _ append: (inout GuardedArena) throws(VaultError) -> Range<Int>
    ) {
        do throws(VaultError) {
            let name = try target(spelling)
            let range = try append(&values)
            changes.updateValue(range, forKey: name)
        } catch {
            fail(error)
        }
    }

    mutating func fail(_ error: VaultError) {
        if failure == nil { failure = error }
    }

    private static func append(
        _ stored: StoredValue, to values: inout GuardedArena
    ) throws(VaultError) -> Range<Int> {
        switch stored {
        case .boolean(let value):
            return try translating { () throws(SecureMemoryError) in
                try LeafList.append(boolean: value, to: &values)
            }
        case .integer(let value):
            return try translating { () throws(SecureMemoryError) in
                try LeafList.append(integer: value, to: &values)
            }
        case .real(let value):
            return try translating { () throws(SecureMemoryError) in try LeafList.append(real: value, to: &values) }
        case .string(let value): return try append(text: Array(value.utf8).rawSpan, to: &values)
        }
    }

    /// Appends a string, or data when the bytes are no text.
    private static func append(
        text: RawSpan, to values: inout GuardedArena
    ) throws(VaultError) -> Range<Int> {
        try translating { () throws(SecureMemoryError) in
            if let range = try LeafList.append(string: text, to: &values) { return range }
            return try LeafList.append(data: text, to: &values)
        }
    }
}
