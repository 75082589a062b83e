import CofferCommands
import SecureMemory
import Testing

@Suite struct NumberTextTests {
    private func integer(_ text: String) throws -> Int64? {
        let buffer = try GuardedBuffer(text: text)
        return NumberText.integer(buffer.bytes)
    }

    private func real(_ text: String) throws -> Double? {
        let buffer = try GuardedBuffer(text: text)
        return try NumberText.real(buffer.bytes)
    }

    @Test("integers of the whole range", arguments: [0, 1, -1, 9, 10, -10, 99, .max, .min, .max - 1, .min + 1])
    func integers(value: Int64) throws {
        var arena = try GuardedArena()
        try NumberText.append(value, to: &arena)
        let text = arena.bytes.text
        #expect(text == String(value))
        #expect(try integer(text) == value)
    }

    @Test(
        "what is no integer",
        arguments: [
            "", "-", "+", "1.0", "1e3", " 1", "1 ", "0x10", "9223372036854775808", "-9223372036854775809", "٣", "1_000",
        ])
    func notIntegers(text: String) throws { #expect(try integer(text) == nil) }

    @Test("reals come back as they were, and keep a point or an exponent")
    func reals() throws {
        var generator = SystemRandomNumberGenerator()
        let special: [Double] = [0, -0.0, 1, 1e22, 1e-5, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity]
        for value in special + (0..<5000).map({ _ in Double(bitPattern: .random(in: 0 ... .max, using: &generator)) }) {
            let text = NumberText.text(of: value)
            let back = try #require(try real(text), "\(text)")
            #expect(back.bitPattern == value.bitPattern || (back.isNaN && value.isNaN))
            #expect(text.contains(".") || text.contains("e") || !value.isFinite)
        }
        #expect(try real("-inf") == -.infinity)
        #expect(try real("7") == 7)
    }

    @Test(
        "what is no real",
        arguments: ["", ".", "-", "e5", "1e", "0x1p3", "1e999", "infinity", "nan(1)", " 1", "1,5", "--1"])
    func notReals(text: String) throws { #expect(try real(text) == nil) }
}

extension GuardedBuffer {
    init(text: String) throws {
        try self.init(count: text.utf8.count)
        for (offset, byte) in text.utf8.enumerated() { store(byte, at: offset) }
    }
}

extension RawSpan {
    var text: String { String(decoding: (0..<byteCount).map { self[$0] }, as: UTF8.self) }
}
