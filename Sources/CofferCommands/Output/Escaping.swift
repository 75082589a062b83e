package import SecureMemory

/// Makes characters visible that would steer a terminal or reorder the text on it.
package enum Escaping {
    /// Whether a character acts on a terminal instead of showing, or does not show at all.
    ///
    /// Controls, bidi marks, line separators, and all that Unicode calls default-ignorable.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels, Mongolian selectors.
        case 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x3164, 0xFFA0: true
        // Zero width, bidi marks, separators, embeddings, isolates, invisible operators.
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
        // Variation selectors, byte order mark, specials.
        case 0xFE00...0xFE0F, 0xFEFF, 0xFFF0...0xFFFB: true
        // Shorthand and musical format controls, tags, more variation selectors.
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
        default: false
        }
    }

    /// Text of ours with harmful characters as `\u{…}`; line feeds stay.
    package static func message(_ text: String) -> String { escaped(text, keeping: ["\n"]) }

    /// A name or a path as part of a message: quoted, on one line.
    package static func quoted(_ text: String) -> String { "\"\(escaped(text, keeping: []))\"" }

    /// A name with harmful characters as `\u{…}`.
    package static func name(_ text: String) -> String { escaped(text, keeping: []) }

    private static func escaped(_ text: String, keeping kept: [Unicode.Scalar]) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isHarmful(scalar) && !kept.contains(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// What a terminal would make of a value.
    package enum Display { case plain, needsEscapes, binary }

    /// Says whether bytes can go to a terminal as they are; line feeds and tabs can.
    package static func display(of bytes: RawSpan) -> Display {
        var result = Display.plain
        var offset = 0
        while offset < bytes.byteCount {
            guard let (scalar, length) = UTF8Text.scalar(in: bytes, at: offset), scalar.value != 0 else {
                return .binary
            }
            if isHarmful(scalar) && scalar != "\n" && scalar != "\t" { result = .needsEscapes }
            offset += length
        }
        return result
    }

    /// Copies UTF-8 with harmful characters as `\u{…}`; line feeds and tabs stay.
    package static func append(_ text: RawSpan, to arena: inout GuardedArena) throws(SecureMemoryError) {
        var offset = 0
        while offset < text.byteCount {
            guard let (scalar, length) = UTF8Text.scalar(in: text, at: offset) else {
                // Not reached for what `display(of:)` calls text.
                try arena.append(literal: "\\u{FFFD}")
                offset += 1
                continue
            }
            if isHarmful(scalar) && scalar != "\n" && scalar != "\t" {
                try arena.append(literal: "\\u{")
                try UTF8Text.appendHex(scalar.value, minimumDigits: 1, to: &arena)
                try arena.append(UInt8(ascii: "}"))
            } else {
                try arena.append(text.extracting(offset..<offset + length))
            }
            offset += length
        }
    }
}
