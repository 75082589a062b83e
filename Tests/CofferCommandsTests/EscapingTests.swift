import CofferCommands
import SecureMemory
import Testing

@Suite struct EscapingTests {
    @Test(
        "what would steer a terminal is shown",
        arguments: [
            ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("\u{7F}", "\\u{7F}"), ("\u{9B}2J", "\\u{9B}2J"),
            ("a\u{202E}b", "a\\u{202E}b"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"), ("a\nb", "a\\u{A}b"), ("\u{200B}", "\\u{200B}"),
            ("ä€😀", "ä€😀"), ("\u{E0041}", "\\u{E0041}"), ("\u{61C}", "\\u{61C}"), ("plain / name", "plain / name"),
        ])
    func names(text: String, shown: String) {
        #expect(Escaping.name(text) == shown)
        #expect(Escaping.quoted(text) == "\"\(shown)\"")
    }

    @Test("nothing that does not show passes, and all that shows does")
    func ignorable() throws {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let isHidden =
                properties.isDefaultIgnorableCodePoint || properties.isBidiControl || value == 0x2028 || value == 0x2029
                || properties.generalCategory == .control
            // Three more: the specials that mark annotations.
            if (0xFFF9...0xFFFB).contains(value) { continue }
            #expect(Escaping.isHarmful(scalar) == isHidden, "\(String(value, radix: 16))")
        }
    }

    @Test(
        "values",
        arguments: [
            ("plain\n\ttext ä", Escaping.Display.plain), ("a\u{1B}[0m", .needsEscapes), ("a\rb", .needsEscapes),
            ("\u{202E}", .needsEscapes), ("a\u{0}b", .binary), ("", .plain),
        ])
    func display(text: String, expected: Escaping.Display) throws {
        let buffer = try GuardedBuffer(text: text)
        let display = Escaping.display(of: buffer.bytes)
        #expect(display == expected)
        guard display == .needsEscapes else { return }
        var arena = try GuardedArena()
        try Escaping.append(buffer.bytes, to: &arena)
        #expect(arena.bytes.text == Escaping.message(text))
    }

    @Test(
        "bytes that are not UTF-8 are binary",
        arguments: [
            [0xFF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xC0, 0xAF],
        ])
    func binary(bytes: [UInt8]) throws {
        var buffer = try GuardedBuffer(count: bytes.count)
        for (offset, byte) in bytes.enumerated() { buffer.store(byte, at: offset) }
        let display = Escaping.display(of: buffer.bytes)
        let isValid = UTF8Text.isValid(buffer.bytes)
        #expect(display == .binary)
        #expect(!isValid)
        #expect(String(validating: bytes, as: UTF8.self) == nil)
    }

    @Test("every character takes the way through guarded memory and back")
    func characters() throws {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var arena = try GuardedArena(capacity: 8)
            try UTF8Text.append(scalar, to: &arena)
            let text = arena.bytes.text
            let back = UTF8Text.scalar(in: arena.bytes, at: 0)
            #expect(text == String(scalar))
            #expect(back?.scalar == scalar)
            #expect(back?.length == arena.count)
        }
    }
}
