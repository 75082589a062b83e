internal import PropertyLists
internal import SecureMemory

/// How a value that stands in a list comes out of it; the vault and a draft read alike.
enum ValueReading {
    /// Makes a Swift value, with the exact type or an error.
    static func value<Value: SettingValue>(
        _ object: Int, of reader: PropertyListReader, for key: SettingKey<Value>
    ) throws(VaultError) -> Value {
        guard let stored = try stored(object, of: reader), let value = Value(stored: stored) else {
            throw .typeMismatch(
                name: key.name, expected: Value.settingTypeName, found: typeName(reader.kind(of: object)))
        }
        return value
    }

    /// Lends the bytes of a string or of data: in place, or transcoded into guarded memory that is wiped after.
    static func withBytes<Result>(
        _ object: Int, of reader: PropertyListReader, named name: String, _ body: (RawSpan) throws -> Result
    ) throws -> Result {
        switch reader.kind(of: object) {
        case .data: return try body(reader.data(object))
        case .string:
            if let ascii = reader.asciiBytes(of: object) { return try body(ascii) }
            let scratch = try transcoded(reader.text(object))
            return try body(scratch.bytes)
        case let kind: throw VaultError.typeMismatch(name: name, expected: "string or data", found: typeName(kind))
        }
    }

    /// Copies the bytes of a string, as UTF-8, or of data.
    static func copy(
        _ object: Int, of reader: PropertyListReader, named name: String
    ) throws(VaultError) -> GuardedBuffer {
        switch reader.kind(of: object) {
        case .data: return try copy(reader.data(object))
        case .string:
            if let ascii = reader.asciiBytes(of: object) { return try copy(ascii) }
            let scratch = try transcoded(reader.text(object))
            return try copy(scratch.bytes)
        case let kind: throw .typeMismatch(name: name, expected: "string or data", found: typeName(kind))
        }
    }

    private static func copy(_ bytes: RawSpan) throws(VaultError) -> GuardedBuffer {
        try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) }
    }

    private static func stored(_ object: Int, of reader: PropertyListReader) throws(VaultError) -> StoredValue? {
        switch reader.kind(of: object) {
        case .boolean: return .boolean(reader.boolean(object))
        case .integer: return .integer(reader.integer(object))
        case .real: return .real(reader.real(object))
        case .string: return .string(try string(object, of: reader))
        case .date, .data, .array, .dictionary: return nil
        }
    }

    static func string(_ object: Int, of reader: PropertyListReader) throws(VaultError) -> String {
        let text = reader.text(object)
        if text.encoding == .ascii {
            return unsafe text.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        let scratch = try transcoded(text)
        return unsafe scratch.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private static func transcoded(_ text: PropertyListText) throws(VaultError) -> GuardedArena {
        do throws(SecureMemoryError) {
            var scratch = try GuardedArena(capacity: text.utf8Count)
            try text.copyUTF8(into: &scratch)
            return scratch
        } catch {
            throw VaultError(error)
        }
    }

    static func typeName(_ kind: PropertyListKind) -> String {
        switch kind {
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
