internal import PropertyLists

/// What a vault stores for one setting, in the types that its file knows.
///
/// A type of an app's own goes through it: see ``SettingValue``. It is an ordinary Swift value, which nobody can wipe.
/// Containers in a vault are nested at most 31 deep; comparing, hashing and freeing a value that an app nests far
/// deeper itself may take more stack than there is.
public enum StoredValue: Hashable, Sendable {
    /// True or false.
    case boolean(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// A number with a fraction, not a number and the infinities included. All NaN are stored as one.
    case real(Double)
    /// Text, stored as it is spelled.
    case string(String)
    /// A moment in time.
    case date(SettingDate)
    /// Bytes.
    case data(SettingData)
    /// Values in order, of any types.
    case array([StoredValue])
    /// Values by name. Any text is a key, and its spelling is stored in Unicode's composed form, NFC.
    case dictionary([String: StoredValue])
}

extension StoredValue {
    /// What a value is, without anything of the value itself.
    var kind: PropertyListKind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .string: .string
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        }
    }

    /// What an error says was found by a reader that does not take this value.
    ///
    /// - Parameter expected: what the reader calls its type; its first word is a kind, if values of that kind can fit.
    func foundName(unfitFor expected: String) -> String {
        let wanted = expected.prefix { $0 != " " }
        // A whole number is read as a real as well, if that holds it.
        let isOfThatKind = wanted == kind.name || (wanted == PropertyListKind.real.name && kind == .integer)
        return isOfThatKind ? "\(kind.name) that does not fit" : kind.name
    }
}

extension PropertyListKind {
    /// The word for values of a kind, in errors.
    var name: String {
        switch self {
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "real"
        case .date: "date"
        case .data: "data"
        case .string: "string"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}
