extension Array: SettingValue where Element: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "array of \(Element.settingTypeName)" }

    /// Makes an array from a stored array whose elements all fit.
    public init?(stored: StoredValue) {
        guard case .array(let elements) = stored else { return nil }
        var values: [Element] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard let value = Element(stored: element) else { return nil }
            values.append(value)
        }
        self = values
    }

    /// The array as it is stored.
    public var stored: StoredValue { .array(map(\.stored)) }
}

extension Dictionary: SettingValue where Key == String, Value: SettingValue {
    /// What an error calls this type.
    public static var settingTypeName: String { "dictionary of \(Value.settingTypeName)" }

    /// Makes a dictionary from a stored dictionary whose values all fit.
    public init?(stored: StoredValue) {
        guard case .dictionary(let entries) = stored else { return nil }
        var values: [String: Value] = [:]
        values.reserveCapacity(entries.count)
        for (key, entry) in entries {
            guard let value = Value(stored: entry) else { return nil }
            values[key] = value
        }
        self = values
    }

    /// The dictionary as it is stored.
    public var stored: StoredValue { .dictionary(mapValues(\.stored)) }
}
