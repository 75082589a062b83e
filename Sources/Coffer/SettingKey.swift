/// The name of a setting that is no secret, with the type of its value and what it is until it is set.
///
/// Reading gives a Swift value, which nobody can wipe: use ``SecretKey`` for a password or token.
public struct SettingKey<Value: SettingValue>: Sendable {
    /// The name, 1 to 1,024 bytes of UTF-8 without control characters.
    public let name: String
    /// The value while the setting is absent.
    public let defaultValue: Value

    /// Declares a setting.
    ///
    /// - Parameters:
    ///   - name: 1 to 1,024 bytes of UTF-8 without control characters; `/` groups by convention.
    ///   - defaultValue: the value while the setting is absent.
    public init(_ name: String, default defaultValue: Value) {
        self.name = name
        self.defaultValue = defaultValue
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
