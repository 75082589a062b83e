package import PropertyLists

/// The name of a setting that is no secret, with the type of its value and what it is until it is set.
///
/// Declare keys once, in an extension, and use them with a leading dot:
///
///     extension SettingKey<Int> { static let retries = SettingKey("retries", default: 3) }
///     extension SettingKey<String?> { static let nickname = SettingKey("nickname") }
///
///     let retries = try vault[.retries]       // 3 until it is set
///     let nickname = try vault[.nickname]     // nil until it is set
///
/// Reading gives a Swift value, which nobody can wipe: use ``SecretKey`` for a password or token.
public struct SettingKey<Value: Sendable>: Sendable {
    /// The name, 1 to 1,024 bytes of UTF-8 without control characters.
    public let name: String
    /// How the value is stored, which the key's initialiser knows. A metatype is read and copied without counting.
    package let coding: any SettingCoding<Value>.Type
    // Last: what stands before a part of unknown size is found without asking for the size.
    /// The value while the setting is absent; nil for an optional key.
    public let defaultValue: Value

    /// Declares a setting that has a value also while it is absent.
    ///
    /// - Parameters:
    ///   - name: 1 to 1,024 bytes of UTF-8 without control characters; `/` groups by convention. Two spellings of one
    ///     text are one name once it is written. A name that breaks the rule is refused when it is written.
    ///   - defaultValue: the value while the setting is absent. It is never stored.
    public init(_ name: String, default defaultValue: Value) where Value: SettingValue {
        self.name = name
        self.defaultValue = defaultValue
        coding = PlainCoding<Value>.self
    }

    /// Declares a setting that is nil while it is absent, and that setting to nil removes.
    ///
    /// - Parameter name: 1 to 1,024 bytes of UTF-8 without control characters; `/` groups by convention.
    public init<Wrapped: SettingValue>(_ name: String) where Value == Wrapped? {
        self.name = name
        defaultValue = nil
        coding = OptionalCoding<Wrapped>.self
    }
}

/// How the value of a key is stored.
package protocol SettingCoding<Value>: SendableMetatype {
    associatedtype Value: Sendable
    /// Reads a value where it stands in a list.
    static func read(_ object: Int, of reader: PropertyListReader, named name: String) throws(VaultError) -> Value
    /// What is stored for a value; nil for one that is stored by being absent.
    static func encode(_ value: Value) -> StoredValue?
}

/// The coding of a key whose type is stored as it is.
private enum PlainCoding<Value: SettingValue>: SettingCoding {
    static func read(_ object: Int, of reader: PropertyListReader, named name: String) throws(VaultError) -> Value {
        try ValueReading.value(object, of: reader, named: name)
    }

    static func encode(_ value: Value) -> StoredValue? { value.stored }
}

/// The coding of an optional key, whose nil is no value in the list.
private enum OptionalCoding<Wrapped: SettingValue>: SettingCoding {
    static func read(_ object: Int, of reader: PropertyListReader, named name: String) throws(VaultError) -> Wrapped? {
        let value: Wrapped = try ValueReading.value(object, of: reader, named: name)
        return value
    }

    static func encode(_ value: Wrapped?) -> StoredValue? { value?.stored }
}

/// The name of a setting that is a secret: it has no default and never becomes a Swift value.
public struct SecretKey: Hashable, Sendable {
    /// The name, 1 to 1,024 bytes of UTF-8 without control characters.
    public let name: String

    /// Declares a secret.
    ///
    /// - Parameter name: 1 to 1,024 bytes of UTF-8 without control characters; `/` groups by convention.
    public init(_ name: String) { self.name = name }
}
