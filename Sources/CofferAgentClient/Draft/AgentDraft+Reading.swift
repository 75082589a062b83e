public import Coffer
internal import CofferAgent
internal import PropertyLists
internal import SecureMemory

// A draft is read like a vault, as it will be once it is saved.

extension AgentDraft {
    /// Reads a setting as it will be.
    ///
    /// - Parameter key: the setting.
    /// - Returns: its value, or the key's default when it is absent: nil for an optional key.
    /// - Throws: what reading the vault throws; `refused` for what an undo in this draft brought back.
    public func get<Value>(_ key: SettingKey<Value>) throws(VaultError) -> Value {
        guard let found = try find(key.name) else { return key.defaultValue }
        return try withReader(of: found) { (reader) throws(VaultError) in
            try key.coding.read(0, of: reader, named: key.name)
        }
    }

    /// Reads a setting as it will be, with another default than its key has.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - fallback: the value if the setting is absent. It is not stored.
    /// - Returns: the setting's value, or the default when it is absent.
    /// - Throws: as reading without a default: a value of another type is an error, never the default.
    public func get<Value: SettingValue>(
        _ key: SettingKey<Value>, default fallback: @autoclosure () -> Value
    ) throws(VaultError) -> Value {
        try value(key.name, default: fallback())
    }

    /// Reads a setting of an optional key as it will be, with a default for this call.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - fallback: the value if the setting is absent. It is not stored.
    /// - Returns: the setting's value, or the default when it is absent.
    /// - Throws: as reading without a default: a value of another type is an error, never the default.
    public func get<Value: SettingValue>(
        _ key: SettingKey<Value?>, default fallback: @autoclosure () -> Value
    ) throws(VaultError) -> Value {
        try value(key.name, default: fallback())
    }

    /// Reads a setting by its name as it will be; the default says of what type it is to be.
    ///
    /// - Parameters:
    ///   - name: the setting's name.
    ///   - fallback: the value if the setting is absent. It is not stored.
    /// - Returns: the setting's value, or the default when it is absent.
    /// - Throws: as reading by a key: a value of another type is an error, never the default.
    public func value<Value: SettingValue>(
        _ name: String, default fallback: @autoclosure () -> Value
    ) throws(VaultError) -> Value {
        guard let found = try find(name) else { return fallback() }
        return try withReader(of: found) { (reader) throws(VaultError) -> Value in
            try ValueReading.value(0, of: reader, named: name)
        }
    }

    /// Reads a setting as it will be.
    ///
    /// - Parameter key: the setting.
    /// - Returns: what ``get(_:)`` returns.
    /// - Throws: what ``get(_:)`` throws.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        get throws(VaultError) { try get(key) }
    }

    /// Reads a setting as it will be, with another default than its key has.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - fallback: the value if the setting is absent.
    /// - Returns: what `get` with a default returns.
    /// - Throws: what `get` with a default throws.
    public subscript<Value: SettingValue>(
        key: SettingKey<Value>, default fallback: @autoclosure () -> Value
    ) -> Value {
        get throws(VaultError) { try value(key.name, default: fallback()) }
    }

    /// Reads a setting of an optional key as it will be, with a default for this call.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - fallback: the value if the setting is absent.
    /// - Returns: what `get` with a default returns.
    /// - Throws: what `get` with a default throws.
    public subscript<Value: SettingValue>(
        key: SettingKey<Value?>, default fallback: @autoclosure () -> Value
    ) -> Value {
        get throws(VaultError) { try value(key.name, default: fallback()) }
    }

    /// Lends the bytes of a secret as it will be.
    ///
    /// - Parameters:
    ///   - key: the secret.
    ///   - body: reads the bytes; the span cannot leave it.
    /// - Returns: what `body` returns.
    /// - Throws: `notFound`, `typeMismatch`; what else reading a setting throws; what `body` throws.
    public func withBytes<Result: ~Copyable>(of key: SecretKey, _ body: (RawSpan) throws -> Result) throws -> Result {
        guard let found = try find(key.name) else { throw VaultError.notFound(name: key.name) }
        return try withReader(of: found) { (reader) in
            try SecretReading.withBytes(0, of: reader, named: key.name, body)
        }
    }

    /// Whether there will be a setting of this name.
    ///
    /// - Parameter name: the setting's name.
    /// - Returns: whether it is present.
    /// - Throws: as reading it, but for its type.
    public func contains(_ name: String) throws(VaultError) -> Bool { try find(name) != nil }

    /// Whether a setting will be set, to whatever value: also to zero, false, or nothing but an empty text.
    ///
    /// - Parameter key: the setting.
    /// - Returns: false if reading gives the default.
    /// - Throws: as ``contains(_:)``.
    public func isSet<Value>(_ key: SettingKey<Value>) throws(VaultError) -> Bool { try contains(key.name) }

    /// Whether a secret will be set, to whatever value: also to an empty one.
    ///
    /// - Parameter key: the secret.
    /// - Returns: false if reading it throws `notFound`.
    /// - Throws: as ``contains(_:)``.
    public func isSet(_ key: SecretKey) throws(VaultError) -> Bool { try contains(key.name) }

    // MARK: Finding

    /// A value that is there.
    private enum Found {
        case changed(Range<Int>)
        case base(AgentValue)
    }

    private func find(_ name: String) throws(VaultError) -> Found? {
        switch changes[try key(name)] {
        case .value(let range): return .changed(range)
        case .base(let old): return try base.value(of: old).map { .base($0) }
        case .absent: return nil
        case .undone: throw .refused(reason: "what an undo brings back can be read once the update is saved")
        case nil: return try base.value(of: name).map { .base($0) }
        }
    }

    private func withReader<Result: ~Copyable, Failure: Error>(
        of found: Found, _ body: (PropertyListReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch found {
        case .changed(let range): return try body(PropertyListReader(trusted: values.bytes.extracting(range)))
        case .base(let value): return try value.withReader(body)
        }
    }
}
