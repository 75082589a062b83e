// The types that are stored as one thing of their own, and read from nothing else.

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

extension SettingDate: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "date" }
    /// Makes a date from a stored date, never from a number or text.
    public init?(stored: StoredValue) {
        guard case .date(let value) = stored else { return nil }
        self = value
    }
    /// The date as it is stored.
    public var stored: StoredValue { .date(self) }
}

extension SettingData: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "data" }
    /// Makes bytes from stored data, never from text.
    public init?(stored: StoredValue) {
        guard case .data(let value) = stored else { return nil }
        self = value
    }
    /// The bytes as they are stored.
    public var stored: StoredValue { .data(self) }
}
