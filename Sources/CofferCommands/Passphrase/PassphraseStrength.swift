internal import SecureMemory

/// A plain rule against passphrases that are guessed first; it measures in guarded memory.
///
/// It counts what a guesser would have to try: a common password, a run on the keyboard or in the alphabet, and a
/// repeated character count little, whatever decorates them. It cannot tell that a passphrase is good.
package enum PassphraseStrength {
    /// Why a passphrase is easy to guess.
    package enum Weakness: Equatable, Sendable {
        case short
        case fewCharacters
        case repeatedBlock
        case predictable

        /// What to tell a person.
        package var text: String {
            switch self {
            case .short: "it has fewer than \(PassphraseStrength.leastCharacters) characters"
            case .fewCharacters: "it is made of very few different characters"
            case .repeatedBlock: "it repeats one short piece"
            case .predictable: "it is mostly common passwords and runs such as 123 or qwerty"
            }
        }
    }

    fileprivate static let leastCharacters = 10
    private static let leastDistinct = 5
    private static let leastScore = 8

    /// The first weakness found in UTF-8 text, if there is one.
    package static func weakness(of passphrase: RawSpan) throws(Failure) -> Weakness? {
        do throws(SecureMemoryError) {
            // The characters as numbers, 4 bytes each, lower case.
            var folded = try GuardedArena(capacity: passphrase.byteCount * 4 + 4)
            var offset = 0
            while offset < passphrase.byteCount {
                let (scalar, length) = UTF8Text.scalar(in: passphrase, at: offset) ?? ("\u{FFFD}", 1)
                let value = scalar.isASCII ? lowercased(scalar.value) : scalar.value
                for shift in [24, 16, 8, 0] as [UInt32] { try folded.append(UInt8(value >> shift & 0xFF)) }
                offset += length
            }
            return weakness(folded.bytes)
        } catch {
            throw .outOfMemory
        }
    }

    private static func weakness(_ text: RawSpan) -> Weakness? {
        let count = text.byteCount / 4
        if count < leastCharacters { return .short }
        if distinct(text) < leastDistinct { return .fewCharacters }
        if repeats(text) { return .repeatedBlock }
        return score(text) < leastScore ? .predictable : nil
    }

    private static func character(_ text: RawSpan, _ index: Int) -> UInt32 {
        var value: UInt32 = 0
        for offset in 0..<4 { value = value << 8 | UInt32(text[index * 4 + offset]) }
        return value
    }

    private static func lowercased(_ value: UInt32) -> UInt32 { (0x41...0x5A).contains(value) ? value + 0x20 : value }

    private static func distinct(_ text: RawSpan) -> Int {
        var found = 0
        for index in 0..<text.byteCount / 4 {
            let value = character(text, index)
            if !(0..<index).contains(where: { character(text, $0) == value }) { found += 1 }
            if found >= leastDistinct { break }
        }
        return found
    }

    // Whether it is one piece of under 8 characters again and again, perhaps cut off at the end.
    private static func repeats(_ text: RawSpan) -> Bool {
        let count = text.byteCount / 4
        return (1..<min(leastScore, count / 2 + 1)).contains { period in
            (period..<count).allSatisfy { character(text, $0) == character(text, $0 - period) }
        }
    }

    // A common word is one step; so is a run from its third character on; any other character is one too.
    private static func score(_ text: RawSpan) -> Int {
        let count = text.byteCount / 4
        var score = 0
        var index = 0
        var run = 1
        while index < count {
            if let length = CommonPasswords.match(in: text, at: index, character: character) {
                score += 1
                index += length
                run = 1
                continue
            }
            let continues = index > 0 && isStep(character(text, index - 1), character(text, index))
            run = continues ? run + 1 : 1
            if run < 3 { score += 1 }
            index += 1
        }
        return score
    }

    private static let rows: [StaticString] = [
        "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
    ]

    // The same character, or a neighbour in the alphabet, among the digits or in a row of keys, either way.
    private static func isStep(_ left: UInt32, _ right: UInt32) -> Bool {
        if left == right { return true }
        guard let left = UInt8(exactly: left), let right = UInt8(exactly: right) else { return false }
        let alphanumeric: (UInt8) -> Bool = { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        if alphanumeric(left), alphanumeric(right), left &+ 1 == right || right &+ 1 == left { return true }
        return rows.contains { row in
            row.withUTF8Buffer { keys in
                (1..<keys.count).contains {
                    unsafe (keys[$0 - 1] == left && keys[$0] == right) || (keys[$0 - 1] == right && keys[$0] == left)
                }
            }
        }
    }
}
