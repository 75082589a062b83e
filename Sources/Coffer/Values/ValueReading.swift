internal import PropertyLists
internal import SecureMemory

/// Who asks for a value: the setting's name as the caller spells it, and what the caller calls its own type.
struct ValueUse {
    let name: String
    // Asked for an error alone: names of containers are put together.
    let typeName: () -> String

    func mismatch(found: String) -> VaultError { .typeMismatch(name: name, expected: typeName(), found: found) }
}

/// How a value that stands in a list comes out of it as a Swift value; the vault and a draft read alike.
enum ValueReading {
    /// Makes the value of a key.
    ///
    /// - Throws: `typeMismatch`, `notEnoughMemory`.
    static func value<Value>(
        _ object: Int, of reader: PropertyListReader, for key: SettingKey<Value>
    ) throws(VaultError) -> Value {
        try value(object, of: reader, for: ValueUse(name: key.name, typeName: key.coding.typeName), key.coding.decode)
    }

    /// Makes the value of a name that is used without a key.
    ///
    /// - Throws: `typeMismatch`, `notEnoughMemory`.
    static func value<Value: SettingValue>(
        _ object: Int, of reader: PropertyListReader, named name: String
    ) throws(VaultError) -> Value {
        let use = ValueUse(name: name, typeName: { Value.settingTypeName })
        return try value(object, of: reader, for: use, Value.init(stored:))
    }

    private static func value<Value>(
        _ object: Int, of reader: PropertyListReader, for use: ValueUse, _ decode: (StoredValue) -> Value?
    ) throws(VaultError) -> Value {
        let stored = try StoredValue(object, of: reader, for: use)
        guard let value = decode(stored) else {
            throw use.mismatch(found: stored.foundName(unfitFor: use.typeName()))
        }
        return value
    }

    /// Makes a Swift string of a string in a list.
    ///
    /// - Throws: `notEnoughMemory`.
    static func string(_ object: Int, of reader: PropertyListReader) throws(VaultError) -> String {
        let text = reader.text(object)
        if text.encoding == .ascii {
            return unsafe text.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        let scratch = try SecretReading.transcoded(text)
        return unsafe scratch.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
