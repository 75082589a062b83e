package import PropertyLists
package import SecureMemory

/// How the bytes of a secret that stands in a list are lent or copied; they never become a Swift value.
package enum SecretReading {
    /// Lends the bytes of a string or of data: in place, or transcoded into guarded memory that is wiped after.
    package static func withBytes<Result: ~Copyable>(
        _ object: Int, of reader: PropertyListReader, named name: String, _ body: (RawSpan) throws -> Result
    ) throws -> Result {
        switch reader.kind(of: object) {
        case .data: return try body(reader.data(object))
        case .string:
            if let ascii = reader.asciiBytes(of: object) { return try body(ascii) }
            let scratch = try transcoded(reader.text(object))
            return try body(scratch.bytes)
        case let kind: throw mismatch(named: name, found: kind)
        }
    }

    /// Copies the bytes of a string, as UTF-8, or of data.
    package static func copy(
        _ object: Int, of reader: PropertyListReader, named name: String
    ) throws(VaultError) -> GuardedBuffer {
        switch reader.kind(of: object) {
        case .data: return try copy(reader.data(object))
        case .string:
            if let ascii = reader.asciiBytes(of: object) { return try copy(ascii) }
            let scratch = try transcoded(reader.text(object))
            return try copy(scratch.bytes)
        case let kind: throw mismatch(named: name, found: kind)
        }
    }

    /// Writes text as UTF-8 into guarded memory of its own.
    static func transcoded(_ text: PropertyListText) throws(VaultError) -> GuardedArena {
        do throws(SecureMemoryError) {
            var scratch = try GuardedArena(capacity: text.utf8Count)
            try text.copyUTF8(into: &scratch)
            return scratch
        } catch {
            throw VaultError(error)
        }
    }

    private static func copy(_ bytes: RawSpan) throws(VaultError) -> GuardedBuffer {
        try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) }
    }

    private static func mismatch(named name: String, found kind: PropertyListKind) -> VaultError {
        .typeMismatch(name: name, expected: "string or data", found: kind.name)
    }
}
