import SecureMemory
import TestSupport
import Testing

@Suite struct NormalizationTests {
    @Test(
        "text comes out composed, as Unicode's examples have it",
        arguments: [
            ("", ""), ("plain", "plain"), ("a\u{308}", "\u{E4}"), ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}"),
            ("\u{212B}", "\u{C5}"), ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("\u{1F511}e\u{301}", "\u{1F511}\u{E9}"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("\u{FB01}", "\u{FB01}"), ("\u{1D15E}", "\u{1D157}\u{1D165}"),
        ])
    func composed(text: String, expected: String) throws {
        let normal = try Normalization.nfc(Array(text.utf8).rawSpan)
        let bytes = normal.bytes.array
        #expect(bytes == Array(expected.utf8))
    }

    @Test("what expands most fits", arguments: ["\u{FDFA}", "\u{390}", "\u{1F82}", "\u{FB2C}"])
    func expanding(text: String) throws {
        let text = String(repeating: text, count: 300)
        let normal = try Normalization.nfc(Array(text.utf8).rawSpan)
        let again = try Normalization.nfc(normal.bytes)
        let (once, twice) = (normal.bytes.array, again.bytes.array)
        #expect(once == twice)
        #expect(String(decoding: once, as: UTF8.self) == text)
    }

    @Test(
        "bytes that are no UTF-8 come back as they are",
        arguments: [
            [0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0x61, 0xCC, 0x88, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80],
        ] as [[UInt8]])
    func invalid(bytes: [UInt8]) throws {
        let normal = try Normalization.nfc(bytes.rawSpan)
        let found = normal.bytes.array
        #expect(found == bytes)
    }
}
