package import PropertyLists
internal import SecureMemory

/// How a value that stands in a list comes out of it as a Swift value; the vault and a draft read alike.
package enum ValueReading {
    /// Makes a value of the type that the caller asks for.
    ///
    /// - Throws: `typeMismatch`, `notEnoughMemory`.
    package static func value<Value: SettingValue>(
        _ object: Int, of reader: PropertyListReader, named name: String
    ) throws(VaultError) -> Value {
        let stored = try StoredValue(object, of: reader, named: name, as: Value.self)
        guard let value = Value(stored: stored) else {
            throw Value.mismatch(named: name, found: stored.foundName(unfitFor: Value.settingTypeName))
        }
        return value
    }

    /// Makes Swift strings of the keys of a list, in their order.
    ///
    /// - Throws: `notEnoughMemory`.
    static func keys(of reader: PropertyListReader) throws(VaultError) -> [String] {
        var keys: [String] = []
        for index in 0..<reader.count(of: 0) { keys.append(try string(reader.key(index), of: reader)) }
        return keys
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

extension SettingValue {
    /// The error of a reader that asks for this type.
    static func mismatch(named name: String, found: String) -> VaultError {
        .typeMismatch(name: name, expected: settingTypeName, found: found)
    }
}
