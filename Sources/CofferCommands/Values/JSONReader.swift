internal import PropertyLists
package import SecureMemory

/// Reads JSON in guarded memory into a property list; no text becomes a Swift string on the way.
///
/// It is strict: RFC 8259 and nothing more, no null, no key twice. Numbers with a fraction or an exponent are reals,
/// others integers. Objects of one key stand for what JSON lacks: `{"$data": "Base64"}`, `{"$date": "ISO 8601"}` (or
/// a number of seconds since 2001), `{"$real": "nan"}`. An object whose only key really begins with `$` is written
/// with `$$`.
package struct JSONReader: ~Copyable, ~Escapable {
    let text: RawSpan
    private let maximumDepth: Int
    var offset = 0
    private var builder: PropertyListBuilder
    // The string that was read last, without its escapes.
    var scratch: GuardedArena

    /// Reads a whole text that holds one value.
    ///
    /// - Parameters:
    ///   - text: the JSON, in UTF-8.
    ///   - maximumDepth: the deepest container, the outermost being at depth 1.
    /// - Returns: a complete canonical list whose root is the value.
    package static func propertyList(of text: RawSpan, maximumDepth: Int) throws(JSONError) -> GuardedBuffer {
        var reader = try JSONReader(text, maximumDepth: maximumDepth)
        reader.skipSpace()
        try reader.value(depth: 1)
        reader.skipSpace()
        guard reader.offset == text.byteCount else { throw JSONError(.syntax, at: reader.offset) }
        return try reader.finish()
    }

    @_lifetime(copy text)
    private init(_ text: RawSpan, maximumDepth: Int) throws(JSONError) {
        let builder = try Self.emptyBuilder()
        let scratch = try Self.emptyArena()
        self.text = text
        self.maximumDepth = min(maximumDepth, 64)
        self.builder = builder
        self.scratch = scratch
    }

    private static func emptyBuilder() throws(JSONError) -> PropertyListBuilder {
        do throws(PropertyListError) { return try PropertyListBuilder() } catch { throw JSONError(.outOfMemory, at: 0) }
    }

    static func emptyArena() throws(JSONError) -> GuardedArena {
        do throws(SecureMemoryError) { return try GuardedArena() } catch { throw JSONError(.outOfMemory, at: 0) }
    }

    private consuming func finish() throws(JSONError) -> GuardedBuffer {
        let depth = maximumDepth
        let end = offset
        do throws(PropertyListError) {
            return try builder.finish(maximumDepth: depth)
        } catch {
            throw Self.failure(error, at: end)
        }
    }

    static func failure(_ error: PropertyListError, at offset: Int) -> JSONError {
        switch error.code {
        case .duplicateKey: JSONError(.duplicateKey, at: offset)
        case .tooDeep: JSONError(.tooDeep, at: offset)
        case .tooLarge: JSONError(.tooLarge, at: offset)
        case .outOfMemory: JSONError(.outOfMemory, at: offset)
        default: JSONError(.syntax, at: offset)
        }
    }

    @_lifetime(self: copy self)
    mutating func build(
        _ body: (inout PropertyListBuilder, borrowing GuardedArena) throws(PropertyListError) -> Void
    ) throws(JSONError) {
        do throws(PropertyListError) {
            try body(&builder, scratch)
        } catch {
            throw Self.failure(error, at: offset)
        }
    }

    // MARK: Characters

    func peek() -> UInt8? { offset < text.byteCount ? text[offset] : nil }

    @_lifetime(self: copy self)
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard offset < text.byteCount, UInt32(text[offset]) == character.value else { return false }
        offset += 1
        return true
    }

    @_lifetime(self: copy self)
    mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard take(character) else { throw JSONError(.syntax, at: offset) }
    }

    @_lifetime(self: copy self)
    mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    @_lifetime(self: copy self)
    mutating func word(_ word: StaticString) throws(JSONError) {
        for byte in word.description.utf8 { try expect(Unicode.Scalar(byte)) }
    }

    // MARK: Values

    @_lifetime(self: copy self)
    private mutating func value(depth: Int) throws(JSONError) {
        let start = offset
        switch peek() {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""):
            try string()
            try build { (builder, scratch) throws(PropertyListError) in try builder.string(utf8: scratch.bytes) }
        case UInt8(ascii: "t"):
            try word("true")
            try build { (builder, _) throws(PropertyListError) in try builder.boolean(true) }
        case UInt8(ascii: "f"):
            try word("false")
            try build { (builder, _) throws(PropertyListError) in try builder.boolean(false) }
        case UInt8(ascii: "n"):
            try word("null")
            throw JSONError(.null, at: start)
        default: try number()
        }
    }

    @_lifetime(self: copy self)
    private mutating func array(depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: offset) }
        try expect("[")
        try build { (builder, _) throws(PropertyListError) in try builder.beginArray() }
        skipSpace()
        if !take("]") {
            repeat {
                skipSpace()
                try value(depth: depth + 1)
                skipSpace()
            } while take(",")
            try expect("]")
        }
        try build { (builder, _) throws(PropertyListError) in try builder.endArray() }
    }

    @_lifetime(self: copy self)
    private mutating func object(depth: Int) throws(JSONError) {
        let start = offset
        let isTooDeep = depth > maximumDepth
        try expect("{")
        skipSpace()
        if take("}") {
            guard !isTooDeep else { throw JSONError(.tooDeep, at: start) }
            return try build { (builder, _) throws(PropertyListError) in
                try builder.beginDictionary()
                try builder.endDictionary()
            }
        }
        try key()
        let isMarker = startsWithDollar(at: 0) && isLoneMember()
        if isMarker && !startsWithDollar(at: 1) { return try typed(from: start) }
        // Only now it is known to be a container.
        guard !isTooDeep else { throw JSONError(.tooDeep, at: start) }
        try build { (builder, scratch) throws(PropertyListError) in
            try builder.beginDictionary()
            try builder.key(utf8: scratch.bytes.extracting((isMarker ? 1 : 0)..<scratch.count))
        }
        try value(depth: depth + 1)
        skipSpace()
        while take(",") {
            skipSpace()
            try key()
            try build { (builder, scratch) throws(PropertyListError) in try builder.key(utf8: scratch.bytes) }
            try value(depth: depth + 1)
            skipSpace()
        }
        try expect("}")
        try build { (builder, _) throws(PropertyListError) in try builder.endDictionary() }
    }

    // A key, the colon and the space around it.
    @_lifetime(self: copy self)
    private mutating func key() throws(JSONError) {
        try string()
        try composeScratch()
        skipSpace()
        try expect(":")
        skipSpace()
    }
}
