/// The one rule of whole numbers: from a stored integer that fits, and from nothing else.
private func whole<Number: FixedWidthInteger>(_ stored: StoredValue) -> Number? {
    guard case .integer(let value) = stored else { return nil }
    return Number(exactly: value)
}

/// The one rule of numbers with a fraction: from a stored real or integer that is held without loss.
private func fraction<Number: BinaryFloatingPoint>(_ stored: StoredValue) -> Number? {
    switch stored {
    // Not a number equals nothing, so no conversion of it is called exact.
    case .real(let value): value.isNaN ? Number.nan : Number(exactly: value)
    case .integer(let value): Number(exactly: value)
    default: nil
    }
}

extension Int: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension Int8: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension Int16: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension Int32: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension Int64: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(self) }
}

extension UInt8: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension UInt16: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension UInt32: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "integer" }
    /// Makes an integer from a stored integer that fits.
    public init?(stored: StoredValue) {
        guard let value: Self = whole(stored) else { return nil }
        self = value
    }
    /// The integer as it is stored.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension Double: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "real" }
    /// Makes a real from a stored real or integer, if this type holds it exactly; never from a boolean.
    public init?(stored: StoredValue) {
        guard let value: Self = fraction(stored) else { return nil }
        self = value
    }
    /// The real as it is stored.
    public var stored: StoredValue { .real(self) }
}

extension Float: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "real" }
    /// Makes a real from a stored real or integer, if this type holds it exactly; never from a boolean.
    public init?(stored: StoredValue) {
        guard let value: Self = fraction(stored) else { return nil }
        self = value
    }
    /// The real as it is stored.
    public var stored: StoredValue { .real(Double(self)) }
}
