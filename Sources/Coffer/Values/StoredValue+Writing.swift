internal import PropertyLists
package import SecureMemory

extension StoredValue {
    /// Appends the value to the values of a draft, as a canonical list whose root it is.
    ///
    /// - Returns: where it stands.
    /// - Throws: `limitExceeded` for nesting, the number of values and the size; `notEnoughMemory`.
    package func append(to values: inout GuardedArena) throws(VaultError) -> Range<Int> {
        switch self {
        case .boolean(let value):
            return try translating { () throws(SecureMemoryError) in
                try LeafList.append(boolean: value, to: &values)
            }
        case .integer(let value):
            return try translating { () throws(SecureMemoryError) in
                try LeafList.append(integer: value, to: &values)
            }
        case .real(let value):
            return try translating { () throws(SecureMemoryError) in try LeafList.append(real: value, to: &values) }
        case .string(let value): return try Self.append(text: Array(value.utf8).rawSpan, to: &values)
        case .data(let value):
            let bytes = value.bytes
            return try translating { () throws(SecureMemoryError) in
                try LeafList.append(data: bytes.rawSpan, to: &values)
            }
        case .date, .array, .dictionary:
            let list = try list()
            return try translating { () throws(SecureMemoryError) in try values.append(list.bytes) }
        }
    }

    /// Appends a string, or data when the bytes are no text.
    package static func append(text: RawSpan, to values: inout GuardedArena) throws(VaultError) -> Range<Int> {
        try translating { () throws(SecureMemoryError) in
            if let range = try LeafList.append(string: text, to: &values) { return range }
            return try LeafList.append(data: text, to: &values)
        }
    }

    private func list() throws(VaultError) -> GuardedBuffer {
        // No error of the builder speaks of a path.
        try translating("") { () throws(PropertyListError) in
            var builder = try PropertyListBuilder()
            // The settings themselves are at depth 1.
            try add(to: &builder, depth: 2)
            return try builder.finish()
        }
    }

    private func add(to builder: inout PropertyListBuilder, depth: Int) throws(PropertyListError) {
        switch self {
        case .boolean(let value): try builder.boolean(value)
        case .integer(let value): try builder.integer(value)
        case .real(let value): try builder.real(value)
        case .string(let value): try builder.string(utf8: Array(value.utf8).rawSpan)
        case .date(let value): try builder.date(value.secondsSince2001)
        case .data(let value):
            let bytes = value.bytes
            try builder.data(bytes.rawSpan)
        case .array(let elements):
            try Self.check(depth: depth)
            try builder.beginArray()
            for element in elements { try element.add(to: &builder, depth: depth + 1) }
            try builder.endArray()
        case .dictionary(let entries):
            try Self.check(depth: depth)
            try builder.beginDictionary()
            for (key, value) in entries {
                try Self.add(key: key, to: &builder)
                try value.add(to: &builder, depth: depth + 1)
            }
            try builder.endDictionary()
        }
    }

    /// An app may nest values deeper than the format does: that is found before it costs stack.
    private static func check(depth: Int) throws(PropertyListError) {
        guard depth <= PropertyListLimits.settingsDepth else { throw PropertyListError(.tooDeep) }
    }

    /// Keys are written in Unicode's composed form. Specified in the file format, *Settings and metadata*.
    private static func add(key: String, to builder: inout PropertyListBuilder) throws(PropertyListError) {
        let utf8 = Array(key.utf8)
        if utf8.allSatisfy({ $0 < 0x80 }) { return try builder.key(utf8: utf8.rawSpan) }
        let normal: GuardedBuffer
        do throws(SecureMemoryError) { normal = try Normalization.nfc(utf8.rawSpan) } catch {
            throw PropertyListError(.outOfMemory)
        }
        try builder.key(utf8: normal.bytes)
    }
}
