public import Coffer
internal import CofferAgent
internal import PropertyLists

// Values that are no secrets come out of a vault as Swift values, which nobody can wipe.

extension AgentVault {
    /// Reads a setting that is no secret.
    ///
    /// - Parameter key: the setting.
    /// - Returns: its value, or the key's default when it is absent: nil for an optional key.
    /// - Throws: `locked`, also without an agent; `typeMismatch` when it has another type, or does not fit without loss;
    ///   `limitExceeded` for a name that is far too long; `notEnoughMemory`; `refused` when the agent is another user's,
    ///   or of another version; `ioError` when it gives no answer; what reading the file again throws.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        get throws(VaultError) {
            guard let found = try find(key.name) else { return key.defaultValue }
            return try found.withReader { (reader) throws(VaultError) in
                try key.coding.read(0, of: reader, named: key.name)
            }
        }
    }

    /// Reads a setting that is no secret, with another default than its key has.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - fallback: the value if the setting is absent. It is not stored.
    /// - Returns: the setting's value, or the default when it is absent.
    /// - Throws: as reading without a default: a value of another type is an error, never the default.
    public subscript<Value: SettingValue>(
        key: SettingKey<Value>, default fallback: @autoclosure () -> Value
    ) -> Value {
        get throws(VaultError) { try value(key.name, default: fallback()) }
    }

    /// Reads a setting of an optional key, with a default for this call.
    ///
    /// - Parameters:
    ///   - key: the setting.
    ///   - fallback: the value if the setting is absent. It is not stored.
    /// - Returns: the setting's value, or the default when it is absent.
    /// - Throws: as reading without a default: a value of another type is an error, never the default.
    public subscript<Value: SettingValue>(
        key: SettingKey<Value?>, default fallback: @autoclosure () -> Value
    ) -> Value {
        get throws(VaultError) { try value(key.name, default: fallback()) }
    }

    /// Reads a setting that is no secret by its name; the default says of what type it is to be.
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
        return try found.withReader { (reader) throws(VaultError) -> Value in
            try ValueReading.value(0, of: reader, named: name)
        }
    }

    /// Whether a setting is present, with whatever value.
    ///
    /// - Parameter name: the setting's name.
    /// - Returns: whether it has been set.
    /// - Throws: as reading it, but for its type.
    public func contains(_ name: String) throws(VaultError) -> Bool { try find(name) != nil }

    /// Whether a setting has been set, to whatever value: also to zero, false, or nothing but an empty text.
    ///
    /// - Parameter key: the setting.
    /// - Returns: false while reading gives the default.
    /// - Throws: as ``contains(_:)``. A value of another type is set, and no error here.
    public func isSet<Value>(_ key: SettingKey<Value>) throws(VaultError) -> Bool { try contains(key.name) }

    /// Whether a secret has been set, to whatever value: also to an empty one.
    ///
    /// - Parameter key: the secret.
    /// - Returns: false while reading it throws `notFound`.
    /// - Throws: as ``contains(_:)``.
    public func isSet(_ key: SecretKey) throws(VaultError) -> Bool { try contains(key.name) }
}
