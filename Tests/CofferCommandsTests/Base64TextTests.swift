import CofferCommands
import Foundation
import SecureMemory
import Testing

@Suite struct Base64TextTests {
    @Test("agrees with Foundation for every length and byte")
    func foundation() throws {
        for length in 0..<300 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ length) }
            var source = try GuardedBuffer(count: length)
            for (offset, byte) in bytes.enumerated() { source.store(byte, at: offset) }
            var arena = try GuardedArena()
            try Base64Text.append(source.bytes, to: &arena)
            let text = arena.bytes.text
            #expect(text == Data(bytes).base64EncodedString())
            var decoded = try GuardedArena()
            let isValid = try Base64Text.decode(arena.bytes, to: &decoded)
            let back = (0..<decoded.count).map { decoded.bytes[$0] }
            #expect(isValid)
            #expect(back == bytes)
        }
    }

    @Test(
        "what is not canonical",
        arguments: ["A", "AA", "AAA", "A===", "AB==", "AAB=", "AA=A", "AAAA=", "AA-_", "AA\n=", "====", "=AAA"])
    func refused(text: String) throws {
        let source = try GuardedBuffer(text: text)
        var arena = try GuardedArena()
        let isValid = try Base64Text.decode(source.bytes, to: &arena)
        #expect(!isValid)
    }

    @Test("every single byte is a digit or refused")
    func digits() throws {
        for byte in UInt8.min...UInt8.max {
            var source = try GuardedBuffer(text: "AAA?")
            source.store(byte, at: 3)
            var arena = try GuardedArena()
            let isValid = try Base64Text.decode(source.bytes, to: &arena)
            let isDigit =
                Unicode.Scalar(byte).isASCII
                && "+/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=".unicodeScalars.contains(
                    Unicode.Scalar(byte))
            #expect(isValid == isDigit)
        }
    }
}
