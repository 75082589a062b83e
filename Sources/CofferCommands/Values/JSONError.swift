/// Why JSON was refused, and where; it carries no byte of the text.
package struct JSONError: Error, Equatable {
    /// What is wrong.
    package enum Code: Sendable, Hashable {
        case syntax
        case notUTF8
        case null
        case integerTooLarge
        case realTooLarge
        case tooDeep
        case duplicateKey
        case badMarker
        case badMarkerValue
        case tooLarge
        case outOfMemory
    }

    /// What is wrong.
    package let code: Code
    /// The byte offset in the text.
    package let offset: Int

    /// Says what is wrong, and where.
    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// What to tell a person.
    package var text: String {
        switch code {
        case .syntax: "it is not JSON (RFC 8259), at byte \(offset)"
        case .notUTF8: "it is not valid UTF-8, at byte \(offset)"
        case .null: "null is no value of a setting, at byte \(offset)"
        case .integerTooLarge: "an integer does not fit 64 bits, at byte \(offset)"
        case .realTooLarge: "a number is too large, at byte \(offset)"
        case .tooDeep: "objects and arrays are nested deeper than the format allows, at byte \(offset)"
        case .duplicateKey: "an object has the same key twice"
        case .badMarker: "an object of one key that begins with $ must be $data, $date or $real, at byte \(offset)"
        case .badMarkerValue:
            "the value of $data (Base64), $date (ISO 8601, or seconds since 2001) or $real (a number) is none, at byte "
                + "\(offset)"
        case .tooLarge: "it has more values than a vault can hold"
        case .outOfMemory: "there is not enough memory"
        }
    }
}
