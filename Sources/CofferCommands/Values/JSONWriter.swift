package import PropertyLists
package import SecureMemory

/// Writes a property list as JSON in guarded memory, in a form that `JSONReader` reads back to the same list.
package enum JSONWriter {
    /// Appends a value on several lines.
    ///
    /// - Parameters:
    ///   - object: the value.
    ///   - reader: the list that holds it.
    ///   - indent: how deep the value stands in the text.
    ///   - arena: where the text goes.
    package static func append(
        _ object: Int, of reader: borrowing PropertyListReader, indent: Int, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        switch reader.kind(of: object) {
        case .boolean: try arena.append(literal: reader.boolean(object) ? "true" : "false")
        case .integer: try NumberText.append(reader.integer(object), to: &arena)
        case .real: try append(real: reader.real(object), to: &arena)
        case .date: try append(date: reader.date(object), to: &arena)
        case .data:
            try arena.append(literal: "{\"$data\": \"")
            try Base64Text.append(reader.data(object), to: &arena)
            try arena.append(literal: "\"}")
        case .string: try append(reader.text(object), doublesDollar: false, to: &arena)
        case .array: try append(array: object, of: reader, indent: indent, to: &arena)
        case .dictionary: try append(dictionary: object, of: reader, indent: indent, to: &arena)
        }
    }

    /// Appends spaces.
    package static func indent(_ level: Int, to arena: inout GuardedArena) throws(SecureMemoryError) {
        try arena.append(literal: "\n")
        for _ in 0..<level { try arena.append(literal: "  ") }
    }

    private static func append(real: Double, to arena: inout GuardedArena) throws(SecureMemoryError) {
        guard !real.isFinite else { return try append(plain: real.description, to: &arena) }
        try append(plain: "{\"$real\": \"\(NumberText.text(of: real))\"}", to: &arena)
    }

    private static func append(date: Double, to arena: inout GuardedArena) throws(SecureMemoryError) {
        let text = DateText.text(of: date).map { "\"\($0)\"" } ?? date.description
        try append(plain: "{\"$date\": \(text)}", to: &arena)
    }

    // Text that is no secret.
    private static func append(plain text: String, to arena: inout GuardedArena) throws(SecureMemoryError) {
        for byte in text.utf8 { try arena.append(byte) }
    }

    private static func append(
        array: Int, of reader: borrowing PropertyListReader, indent: Int, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        let count = reader.count(of: array)
        guard count > 0 else { return try arena.append(literal: "[]") }
        try arena.append(literal: "[")
        for index in 0..<count {
            if index > 0 { try arena.append(literal: ",") }
            try self.indent(indent + 1, to: &arena)
            try append(reader.element(index, of: array), of: reader, indent: indent + 1, to: &arena)
        }
        try self.indent(indent, to: &arena)
        try arena.append(literal: "]")
    }

    private static func append(
        dictionary: Int, of reader: borrowing PropertyListReader, indent: Int, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        let count = reader.count(of: dictionary)
        guard count > 0 else { return try arena.append(literal: "{}") }
        try arena.append(literal: "{")
        for index in 0..<count {
            if index > 0 { try arena.append(literal: ",") }
            try self.indent(indent + 1, to: &arena)
            // An only key that begins with $ would be taken for a type.
            try append(reader.text(reader.key(index, of: dictionary)), doublesDollar: count == 1, to: &arena)
            try arena.append(literal: ": ")
            try append(reader.value(index, of: dictionary), of: reader, indent: indent + 1, to: &arena)
        }
        try self.indent(indent, to: &arena)
        try arena.append(literal: "}")
    }

    // MARK: Strings

    private static func append(
        _ text: borrowing PropertyListText, doublesDollar: Bool, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        guard text.encoding == .utf16 else {
            return try append(utf8: text.bytes, doublesDollar: doublesDollar, to: &arena)
        }
        var utf8 = try GuardedArena(capacity: text.utf8Count)
        try text.copyUTF8(into: &utf8)
        try append(utf8: utf8.bytes, doublesDollar: doublesDollar, to: &arena)
    }

    /// Appends a JSON string; what would steer a terminal is escaped, so that the text is safe there too.
    package static func append(
        utf8 text: RawSpan, doublesDollar: Bool = false, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        try arena.append(UInt8(ascii: "\""))
        if doublesDollar, text.byteCount > 0, text[0] == UInt8(ascii: "$") { try arena.append(UInt8(ascii: "$")) }
        var offset = 0
        while offset < text.byteCount {
            let (scalar, length) = UTF8Text.scalar(in: text, at: offset) ?? ("\u{FFFD}", 1)
            switch scalar {
            case "\"": try arena.append(literal: "\\\"")
            case "\\": try arena.append(literal: "\\\\")
            case "\n": try arena.append(literal: "\\n")
            case "\r": try arena.append(literal: "\\r")
            case "\t": try arena.append(literal: "\\t")
            case _ where Escaping.isHarmful(scalar):
                for unit in UTF16.encode(scalar) ?? .init() {
                    try arena.append(literal: "\\u")
                    try UTF8Text.appendHex(UInt32(unit), minimumDigits: 4, to: &arena)
                }
            default: try arena.append(text.extracting(offset..<offset + length))
            }
            offset += length
        }
        try arena.append(UInt8(ascii: "\""))
    }
}
