import PropertyLists

/// Numbers that are the same in every run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

extension Value {
    private static let alphabet: [Character] = [
        "a", "b", "z", "0", "/", "~", " ", "\u{7F}", "é", "\u{301}", "ß", "א", "漢", "\u{D7FF}", "\u{E000}", "\u{FFFF}",
        "\u{10000}", "🔑", "\u{10FFFF}", "\0",
    ]

    static func randomText(_ generator: inout SeededGenerator) -> String {
        let length = [0, 1, 2, 3, 5, 8, 14, 15, 16, 40].randomElement(using: &generator) ?? 0
        let letters = Bool.random(using: &generator) ? alphabet.prefix(7) : alphabet[...]
        return String((0..<length).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }

    static func random(depth: Int, using generator: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
        case 0: return .boolean(.random(using: &generator))
        case 1:
            let edges: [Int64] = [
                0, 1, 255, 256, 65_535, 65_536, 1 << 32 - 1, 1 << 32, .max, .min, -1, -256, 1 << 31,
            ]
            return .integer(edges.randomElement(using: &generator) ?? 0)
        case 2:
            let edges = [0.0, -0.0, 1.5, -2.25, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e300]
            return .real(edges.randomElement(using: &generator) ?? 0)
        case 3: return .date([0, 694_267_200, -1.5, 4e9].randomElement(using: &generator) ?? 0)
        case 4:
            let count = [0, 1, 14, 15, 255, 256, 300].randomElement(using: &generator) ?? 0
            return .data((0..<count).map { _ in .random(in: 0...255, using: &generator) })
        case 5, 6: return .string(randomText(&generator))
        case 7:
            let count = Int.random(in: 0...17, using: &generator)
            return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
        default: return randomDictionary(depth: depth, using: &generator)
        }
    }

    static func randomDictionary(depth: Int, using generator: inout SeededGenerator) -> Value {
        var entries: [Key: Value] = [:]
        for _ in 0..<Int.random(in: 0...18, using: &generator) {
            entries[Key(randomText(&generator))] = random(depth: depth - 1, using: &generator)
        }
        return .dictionary(entries)
    }
}

extension [UInt8] {
    /// Changes, drops, doubles or moves a few bytes.
    mutating func mutate(using generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !isEmpty {
            let place = Int.random(in: 0..<count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: remove(at: place)
            case 1: insert(.random(in: 0...255, using: &generator), at: place)
            case 2: self[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            case 3: self[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 4: swapAt(place, Int.random(in: 0..<count, using: &generator))
            case 5: self[place] &+= 1
            case 6: self[place] &-= 1
            // The trailer decides most.
            default: self[Swift.max(0, count - 1 - Int.random(in: 0..<32, using: &generator))] = self[place]
            }
        }
    }
}
