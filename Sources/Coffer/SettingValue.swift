/// What a vault stores for a setting that is no secret.
public enum StoredValue: Hashable, Sendable {
    /// True or false.
    case boolean(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// A number with a fraction, not a number and the infinities included.
    case real(Double)
    /// Text.
    case string(String)
}

/// A type that settings can have.
///
/// A stored value of another type is an error for the reader, never a silent default.
public protocol SettingValue: Sendable {
    /// What an error calls this type.
    static var settingTypeName: String { get }

    /// Makes the value from what is stored.
    ///
    /// - Parameter stored: what the vault holds.
    /// - Returns: nil when it is of another type, or does not fit without loss.
    init?(stored: StoredValue)

    /// What the vault is to hold.
    var stored: StoredValue { get }
}

extension String: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "string" }
    /// Makes a string from a stored string.
    public init?(stored: StoredValue) {
        guard case .string(let value) = stored else { return nil }
        self = value
    }
    /// The string as it is stored.
    public var stored: StoredValue { .string(self) }
}

extension Bool: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "boolean" }
    /// Makes a boolean from a stored boolean, never from a number.
    public init?(stored: StoredValue) {
        guard case .boolean(let value) = stored else { return nil }
        self = value
    }
    /// The boolean as it is stored.
    public var stored: StoredValue { .boolean(self) }
}

extension Int: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard case .integer(let value) = stored, let value = Int(exactly: value) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension Double: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "real" }
    /// Makes a real from a stored real, or from a stored integer that it holds exactly.
    public init?(stored: StoredValue) {
        switch stored {
        case .real(let value): self = value
        case .integer(let value):
            guard let value = Double(exactly: value) else { return nil }
            self = value
        default: return nil
        }
    }
    /// The real as it is stored.
    public var stored: StoredValue { .real(self) }
}
