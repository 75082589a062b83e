import PropertyLists
import SecureMemory
import Testing

@Suite struct CanonicalCheckTests {
    typealias Code = PropertyListError.Code

    /// A list of these objects, canonical in all but what the caller changes.
    ///
    /// - Parameters:
    ///   - objects: the objects' bytes with references of one byte.
    ///   - offsets: the table, or nil for the true one.
    private func list(
        _ objects: [[UInt8]], offsets: [Int]? = nil, offsetWidth: Int = 1, referenceWidth: Int = 1, count: Int? = nil,
        root: Int = 0, table: Int? = nil, gap: [UInt8] = [], unused: UInt8 = 0, rest: [UInt8] = []
    ) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var places: [Int] = []
        for object in objects {
            places.append(list.count)
            list += object
        }
        let start = list.count
        for place in offsets ?? places {
            for index in (0..<offsetWidth).reversed() { list.append(UInt8(truncatingIfNeeded: place >> (8 * index))) }
        }
        list += gap + [0, 0, 0, 0, 0, unused, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [count ?? objects.count, root, table ?? start] {
            for index in (0..<8).reversed() { list.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
        }
        return list + rest
    }

    private let a: [UInt8] = [0x51, 0x61]
    private let b: [UInt8] = [0x51, 0x62]

    @Test("the plain forms are accepted")
    func accepted() throws {
        #expect(list([[0xD0]]).refusal(requireDictionary: true) == nil)
        #expect(list([[0xD2, 1, 2, 3, 4], a, b, [8], [9]]).refusal(requireDictionary: true) == nil)
        #expect(list([[0xA2, 1, 3], [0xA1, 2], [9], [0xD1, 4, 5], a, [0xA0]]).refusal() == nil)
        #expect(list([[0x40]]).refusal() == nil)
    }

    @Test("header, trailer and size are exact")
    func frame() throws {
        let objects = [[0xA1, 1], [9]] as [[UInt8]]
        let good = list(objects)
        #expect(good.refusal() == nil)
        #expect([UInt8]().refusal() == .notAPropertyList)
        #expect(Array("bplist0".utf8).refusal() == .notAPropertyList)
        #expect((Array("bplist01".utf8) + good.dropFirst(8)).refusal() == .notAPropertyList)
        #expect((Array("bplist00".utf8)).refusal() == .truncated)
        #expect(Array(good.prefix(41)).refusal() == .truncated)
        #expect(list(objects, gap: [0]).refusal() == .notCanonical)
        #expect(list(objects, unused: 1).refusal() == .notCanonical)
        #expect(list(objects, rest: [0]).refusal() != nil)
        #expect(list(objects, root: 1).refusal() == .notCanonical)
        #expect(list(objects, count: 1).refusal() == .notCanonical)
        #expect(list(objects, count: 3).refusal() == .notCanonical)
        #expect(list(objects, count: 0).refusal() == .malformed)
        #expect(list(objects, count: .min).refusal() == .tooManyObjects)
        #expect(list(objects, count: 4_194_305).refusal() == .tooManyObjects)
        #expect(list(objects, table: 8).refusal() == .malformed)
        #expect(list(objects, table: 10).refusal() == .notCanonical)
        #expect(list(objects, table: -1).refusal() == .malformed)
        #expect(list(objects, offsetWidth: 2).refusal() == .notCanonical)
        #expect(list([[0xA1, 0, 1], [9]], referenceWidth: 2).refusal() == .notCanonical)
        #expect(list(objects, offsets: [8, 11]).refusal() == .notCanonical)
        #expect(list(objects, offsets: [9, 10]).refusal() == .notCanonical)
        #expect(list(objects, offsets: [8, 10, 10]).refusal() == .notCanonical)
        // An entry of the table for an object that is not there.
        #expect(list(objects, offsets: [8, 10, 10], count: 3).refusal() == .notCanonical)
        #expect(list(objects, offsets: [8, 10, 11], count: 3).refusal() == .notCanonical)
    }

    @Test("objects stand in the one order, each referenced once")
    func order() {
        // Elements the wrong way round, one twice, one left over, one missing, one into itself.
        #expect(list([[0xA2, 2, 1], [8], [9]]).refusal() == .notCanonical)
        #expect(list([[0xA2, 1, 1], [8]]).refusal() == .notCanonical)
        #expect(list([[0xA1, 1], [8], [9]]).refusal() == .notCanonical)
        #expect(list([[0xA2, 1, 2], [8]]).refusal() == .malformed)
        #expect(list([[0xA1, 0]]).refusal() == .notCanonical)
        #expect(list([[0xA1, 200], [9]]).refusal() == .notCanonical)
        // A byte between two objects, and one after the last.
        #expect(list([[0xA2, 1, 2], [8, 8], [9]]).refusal() == .notCanonical)
        #expect(list([[0xA2, 1, 2], [8], [9, 0]]).refusal() == .notCanonical)
        // Values before keys, a nested array's element after its sibling.
        #expect(list([[0xD1, 2, 1], [9], a]).refusal() == .notCanonical)
        #expect(list([[0xD2, 1, 3, 2, 4], a, [8], b, [9]]).refusal() == .notCanonical)
        #expect(list([[0xD2, 1, 2, 4, 3], a, b, [8], [9]]).refusal() == .notCanonical)
        #expect(list([[0xA2, 1, 2], [0xA1, 3], [8], [9]]).refusal() == .notCanonical)
    }

    @Test("keys are strings, ascending by code point")
    func keys() {
        func dictionary(_ keys: [[UInt8]]) -> [UInt8] {
            let count = keys.count
            return list(
                [[0xD0 | UInt8(count)] + (1...2 * count).map(UInt8.init)] + keys + Array(repeating: [9], count: count))
        }
        #expect(dictionary([a, b]).refusal() == nil)
        #expect(dictionary([b, a]).refusal() == .notCanonical)
        #expect(dictionary([a, a]).refusal() == .duplicateKey)
        #expect(dictionary([[0x50], a]).refusal() == nil)
        #expect(dictionary([a, [0x52, 0x61, 0x61]]).refusal() == nil)
        #expect(dictionary([[0x52, 0x61, 0x61], a]).refusal() == .notCanonical)
        #expect(dictionary([[0x10, 1]]).refusal() == .malformed)
        #expect(dictionary([[0x41, 1]]).refusal() == .malformed)
        // "aé" lies between "aa" and "b", U+E000 and U+FFFF before U+10000, whose first unit is D800.
        #expect(dictionary([[0x52, 0x61, 0x61], [0x62, 0, 0x61, 0, 0xE9], b]).refusal() == nil)
        #expect(dictionary([b, [0x62, 0, 0x61, 0, 0xE9]]).refusal() == .notCanonical)
        let (high, privateUse, last): ([UInt8], [UInt8], [UInt8]) =
            ([0x62, 0xD8, 0, 0xDC, 0], [0x61, 0xE0, 0], [0x61, 0xFF, 0xFF])
        #expect(dictionary([[0x61, 0xD7, 0xFF], privateUse, last, high]).refusal() == nil)
        #expect(dictionary([high, privateUse]).refusal() == .notCanonical)
        #expect(dictionary([last, privateUse]).refusal() == .notCanonical)
        #expect(dictionary([privateUse, privateUse]).refusal() == .duplicateKey)
    }

    @Test(
        "each value has one form",
        arguments: [
            ([0x10, 0], nil), ([0x10, 255], nil), ([0x11, 1, 0], nil), ([0x12, 0, 1, 0, 0], nil),
            ([0x13, 0, 0, 0, 1, 0, 0, 0, 0], nil), ([0x13, 255, 255, 255, 255, 255, 255, 255, 255], nil),
            ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], nil), ([0x11, 0, 255], .notCanonical),
            ([0x12, 0, 0, 255, 255], .notCanonical), ([0x13, 0, 0, 0, 0, 255, 255, 255, 255], .notCanonical),
            ([0x14] + [UInt8](repeating: 0, count: 16), .unsupportedType), ([0x15], .malformed),
            ([0x23, 0x80, 0, 0, 0, 0, 0, 0, 0], nil), ([0x23, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], nil),
            ([0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], nil), ([0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 1], .notCanonical),
            ([0x23, 0xFF, 0xF8, 0, 0, 0, 0, 0, 0], .notCanonical),
            ([0x23, 0x7F, 0xF0, 0, 0, 0, 0, 0, 1], .notCanonical), ([0x22, 0, 0, 0, 0], .notCanonical),
            ([0x33, 0x80, 0, 0, 0, 0, 0, 0, 0], nil), ([0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], .malformed),
            ([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], .malformed), ([0x32, 0, 0, 0, 0], .malformed),
            ([0x50], nil), ([0x51, 0x7F], nil), ([0x51, 0x80], .malformed), ([0x60], .notCanonical),
            ([0x61, 0, 0x61], .notCanonical), ([0x61, 0, 0x80], nil), ([0x62, 0, 0x61, 0x01, 0], nil),
            ([0x62, 0xD8, 0, 0xDC, 0], nil), ([0x61, 0xD8, 0], .malformed), ([0x61, 0xDC, 0], .malformed),
            ([0x62, 0xDC, 0, 0xD8, 0], .malformed), ([0x62, 0xD8, 0, 0xD8, 0], .malformed),
            ([0x62, 0xDC, 0, 0xDC, 0], .malformed),
            ([0x40], nil), ([0x4E] + [UInt8](repeating: 1, count: 14), nil),
            ([0x4F, 0x10, 15] + [UInt8](repeating: 1, count: 15), nil),
            ([0x4F, 0x10, 14] + [UInt8](repeating: 1, count: 14), .notCanonical),
            ([0x4F, 0x11, 0, 15] + [UInt8](repeating: 1, count: 15), .notCanonical),
            ([0x4F, 0x12, 0, 0, 0, 15] + [UInt8](repeating: 1, count: 15), .notCanonical),
            ([0x4F, 0x13, 0, 0, 0, 0, 0, 0, 0, 15] + [UInt8](repeating: 1, count: 15), .notCanonical),
            ([0x4F, 0x09, 15], .malformed), ([0x4F], .malformed), ([0x4F, 0x10], .malformed), ([0x44, 0], .malformed),
            ([0x4F, 0x12, 255, 255, 255, 255], .malformed), ([0x6F, 0x12, 255, 255, 255, 255], .malformed),
            ([0xAF, 0x12, 255, 255, 255, 255], .malformed), ([0xDF, 0x12, 255, 255, 255, 255], .malformed),
            ([0x00], .unsupportedType), ([0x0C], .unsupportedType), ([0x0F], .unsupportedType),
            ([0x80, 0], .unsupportedType), ([0xB0], .unsupportedType), ([0xC0], .unsupportedType),
            ([0x01], .malformed), ([0x0A], .malformed), ([0x70], .malformed), ([0x90], .malformed),
            ([0xE0], .malformed), ([0xFF], .malformed),
        ] as [([UInt8], Code?)])
    func values(object: [UInt8], expected: Code?) {
        #expect(list([[0xA1, 1], object]).refusal() == expected)
        #expect(list([object]).refusal() == expected)
    }

    @Test("containers nest to the depth that is asked for, and empty ones count")
    func depth() throws {
        for depth in 1...34 {
            let nested = (1..<depth).reduce(Value.dictionary([:])) { inner, _ in .array([inner]) }
            let list = try nested.list()
            #expect(list.refusal(maximumDepth: depth) == nil)
            #expect(list.refusal(maximumDepth: depth - 1) == .tooDeep)
        }
        let deep = try (1..<65).reduce(Value.array([])) { inner, _ in .array([inner]) }.list(maximumDepth: 100)
        #expect(deep.refusal(maximumDepth: 1_000) == .tooDeep)
        #expect(list([[0xD0]]).refusal(maximumDepth: -5) == .tooDeep)
        // Many siblings add no depth.
        let wide = try Value.array((0..<500).map { _ in .array([.array([])]) }).list()
        #expect(wide.refusal(maximumDepth: 3) == nil)
    }

    @Test("the root has to be a dictionary only when that is asked for")
    func root() throws {
        for value in [Value.boolean(true), .array([]), .string("a")] {
            #expect(try value.list().refusal(requireDictionary: true) == .malformed)
            #expect(try value.list().refusal(requireDictionary: false) == nil)
        }
    }

    @Test(
        "setting names have 1 to 1,024 bytes and no controls; other keys are free",
        arguments: [
            ("", false), ("a", true), (String(repeating: "a", count: 1_024), true),
            (String(repeating: "a", count: 1_025), false), (String(repeating: "é", count: 512), true),
            (String(repeating: "é", count: 513), false), ("a" + String(repeating: "é", count: 512), false),
            (String(repeating: "漢", count: 341), true), (String(repeating: "漢", count: 342), false),
            (String(repeating: "🔑", count: 256), true), (String(repeating: "🔑", count: 257), false),
            ("a\0", false), ("\u{1F}", false), (" ", true), ("~", true), ("\u{7F}", false), ("a\u{7F}é", false),
            ("12345678\u{7F}", false), ("1234567\u{1F}", false), ("1234567\u{7F}", false), ("1234567\u{7F}89", false),
            ("\u{80}", false), ("\u{9F}", false), ("\u{A0}", true),
            ("é\u{1}", false), ("a/b c", true), ("12345678~ ~ ~ ~ ", true),
        ])
    func names(name: String, isAllowed: Bool) throws {
        let list = try Value.dictionary([.init(name): .boolean(true)]).list()
        #expect(list.refusal(names: .settings) == (isAllowed ? nil : .malformed))
        #expect(list.refusal(names: .any) == nil)
        let utf8 = Array(name.utf8)
        #expect(unsafe NameRule.isSettingName(utf8: utf8.span.bytes) == isAllowed)
        // The rule is for the root alone.
        let nested = try Value.dictionary(["a": .dictionary([.init(name): .boolean(true)])]).list()
        #expect(nested.refusal(names: .settings) == nil)
        let element = try Value.array([.dictionary([.init(name): .boolean(true)])]).list()
        #expect(element.refusal(names: .settings) == nil)
    }

    private static let samples: [Value] = [
        .dictionary([:]), .dictionary(["user": .string("ann"), "é": .array([.integer(1), .real(.nan), .date(0)])]),
        .dictionary([
            "a": .dictionary(["b": .dictionary(["": .data([1, 2])])]), "z": .boolean(false), "🔑": .string("é"),
        ]),
        .array((0..<16).map { .integer($0 * 30) }), .string("0123456789abcdef"),
        .dictionary(["long": .data(Array(repeating: 9, count: 260)), "n": .integer(-1)]),
    ]

    @Test("every single flipped bit is refused, or gives the canonical list of another value", arguments: samples)
    func bitFlips(value: Value) throws {
        let good = try value.list()
        try #require(good.refusal() == nil)
        for bit in 0..<good.count * 8 {
            var bad = good
            bad[bit / 8] ^= 1 << UInt8(bit % 8)
            if bad.refusal() == nil { #expect(try bad.reencoded() == bad) }
        }
    }

    @Test("every truncation is refused", arguments: samples)
    func truncations(value: Value) throws {
        let good = try value.list()
        for count in 0..<good.count { #expect(Array(good.prefix(count)).refusal() != nil) }
        for count in 1..<good.count { #expect(Array(good.suffix(count)).refusal() != nil) }
    }

    @Test("20,000 random mutations never trap, and what is accepted is canonical")
    func mutations() throws {
        var generator = SeededGenerator(seed: 7)
        var seeds = try Self.samples.map { try $0.list() }
        for _ in 0..<10 { seeds.append(try Value.random(depth: 3, using: &generator).list()) }
        for _ in 0..<20_000 {
            var bytes = seeds.randomElement(using: &generator) ?? []
            bytes.mutate(using: &generator)
            if bytes.refusal() == nil, try bytes.reencoded() != bytes { Issue.record("not canonical") }
        }
    }

    @Test("random bytes between a good header and a plausible trailer never trap")
    func garbage() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<5_000 {
            let objects = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                (0..<Int.random(in: 1...6, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
            _ = list(objects).refusal()
        }
    }

    @Test("a hundred thousand entries are accepted, and one swapped pair is not")
    func large() throws {
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        for index in 0..<100_000 {
            let key = Array("account/\(index)".utf8)
            try unsafe builder.key(utf8: key.span.bytes)
            try unsafe builder.string(utf8: key.span.bytes)
        }
        try builder.endDictionary()
        let buffer = try builder.finish()
        try CanonicalCheck.check(buffer.bytes, maximumDepth: 32, names: .settings)
        var bytes = Array(copying: buffer.bytes)
        // The first two keys, "account/0" and "account/1".
        let first = bytes.count - 32 - 200_001 * 4
        let key = Int(bytes[first + 5]) << 16 | Int(bytes[first + 6]) << 8 | Int(bytes[first + 7])
        bytes[key + 9] = 0x32
        #expect(bytes.refusal() == .notCanonical)
    }
}
