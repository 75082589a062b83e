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
    /// The value while the setting is absent; nil for an optional key.
    public let defaultValue: Value

    let coding: SettingCoding<Value>

    /// Declares a setting that has a value also while it is absent.
    ///
    /// - Parameters:
    ///   - name: 1 to 1,024 bytes of UTF-8 without control characters; `/` groups by convention. Two spellings of one
    ///     text are one name once it is written. A name that breaks the rule is refused when it is written.
    ///   - defaultValue: the value while the setting is absent. It is never stored.
    public init(_ name: String, default defaultValue: Value) where Value: SettingValue {
        self.name = name
        self.defaultValue = defaultValue
        coding = SettingCoding()
    }

    /// Declares a setting that is nil while it is absent, and that setting to nil removes.
    ///
    /// - Parameter name: 1 to 1,024 bytes of UTF-8 without control characters; `/` groups by convention.
    public init<Wrapped: SettingValue>(_ name: String) where Value == Wrapped? {
        self.name = name
        defaultValue = nil
        coding = SettingCoding()
    }
}

/// How the value of a key is stored: what the key's initialiser knows of its type.
struct SettingCoding<Value: Sendable>: Sendable {
    let typeName: @Sendable () -> String
    /// Nil for what is of another type, or does not fit.
    let decode: @Sendable (StoredValue) -> Value?
    /// Nil for a value that is stored by being absent.
    let encode: @Sendable (Value) -> StoredValue?

    init() where Value: SettingValue {
        typeName = { Value.settingTypeName }
        decode = { Value(stored: $0) }
        encode = { $0.stored }
    }

    init<Wrapped: SettingValue>() where Value == Wrapped? {
        typeName = { Wrapped.settingTypeName }
        decode = { (stored) in Wrapped(stored: stored).map { .some($0) } }
        encode = { $0?.stored }
    }
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
