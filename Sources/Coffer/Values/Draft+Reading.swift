package import PropertyLists
internal import SecureMemory
internal import VaultFile

// A draft is read like a vault, as it will be once it is saved.

extension Draft {
    /// Reads a setting as it will be.
    ///
    /// - Parameter key: the setting.
    /// - Returns: its value, or the key's default when it is absent: nil for an optional key.
    /// - Throws: `typeMismatch` when it has another type, or does not fit without loss; `limitExceeded` for a name that
    ///   is far too long; `notEnoughMemory`.
    public func get<Value>(_ key: SettingKey<Value>) throws(VaultError) -> Value {
        guard let place = try place(of: key.name) else { return key.defaultValue }
        return try withValue(at: place) { (object, reader) throws(VaultError) in
            try key.coding.read(object, of: reader, named: key.name)
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
    /// - Throws: `typeMismatch` when it has another type, or does not fit without loss, and never the default then;
    ///   `limitExceeded` for a name that is far too long; `notEnoughMemory`.
    public func value<Value: SettingValue>(
        _ name: String, default fallback: @autoclosure () -> Value
    ) throws(VaultError) -> Value {
        guard let place = try place(of: name) else { return fallback() }
        return try withValue(at: place) { (object, reader) throws(VaultError) -> Value in
            try ValueReading.value(object, of: reader, named: name)
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
    /// - Throws: `notFound`, `typeMismatch`, `notEnoughMemory`; what `body` throws.
    public func withBytes<Result: ~Copyable>(of key: SecretKey, _ body: (RawSpan) throws -> Result) throws -> Result {
        guard let place = try place(of: key.name) else { throw VaultError.notFound(name: key.name) }
        return try withValue(at: place) { (object, reader) in
            try SecretReading.withBytes(object, of: reader, named: key.name, body)
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

    /// What the value of a setting will be, or nil where there will be none.
    package func kind(of name: String) throws(VaultError) -> PropertyListKind? {
        guard let place = try place(of: name) else { return nil }
        return withValue(at: place) { (object, reader) in reader.kind(of: object) }
    }

    /// Where the value of a setting stands.
    private enum Place {
        /// Among the changed values, as a list of its own.
        case changed(Range<Int>)
        /// In the settings that the draft was made of, by its number.
        case base(Int)
    }

    private func place(of spelling: String) throws(VaultError) -> Place? {
        guard let name = try existing(spelling) else { return nil }
        if case .some(.some(let range)) = changes[name] { return .changed(range) }
        return base.value(of: name).map { .base($0) }
    }

    /// Lends a value with the list that it stands in.
    private func withValue<Result: ~Copyable, Failure: Error>(
        at place: Place, _ body: (Int, PropertyListReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch place {
        case .changed(let range):
            let list = values.bytes.extracting(range)
            return try body(0, PropertyListReader(trusted: list))
        case .base(let object):
            return try base.withSettings { (reader) throws(Failure) -> Result in try body(object, reader) }
        }
    }
}
