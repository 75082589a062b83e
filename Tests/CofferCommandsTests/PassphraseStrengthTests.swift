import CofferCommands
import SecureMemory
import Testing

@Suite struct PassphraseStrengthTests {
    private func weakness(_ text: String) throws -> PassphraseStrength.Weakness? {
        let buffer = try GuardedBuffer(text: text)
        return try PassphraseStrength.weakness(of: buffer.bytes)
    }

    @Test(
        "passphrases that are guessed first",
        arguments: [
            ("", PassphraseStrength.Weakness.short), ("hunter2", .short), ("Tr0ub4d&3", .short), ("ääääääääa", .short),
            ("aaaaaaaaaaaaaaaa", .fewCharacters), ("abababababababab", .fewCharacters),
            ("1111222233334444", .fewCharacters),
            ("abcdefabcdefabcdef", .repeatedBlock), ("k7#Qpk7#Qpk7#Qp", .repeatedBlock),
            ("1234567890", .predictable), ("qwertyuiop123", .predictable), ("password123!", .predictable),
            ("P@ssw0rd2024!", .predictable), ("iloveyou2024", .predictable), ("Passphrase1!", .predictable),
            ("My-password!!!", .predictable), ("abcdefghijklmnop", .predictable), ("coffer-vault-1", .predictable),
            ("zyxwvutsrqponm", .predictable), ("Welcome12345", .predictable), ("asdfghjkl12345", .predictable),
        ])
    func weak(text: String, expected: PassphraseStrength.Weakness) throws { #expect(try weakness(text) == expected) }

    @Test(
        "passphrases that are taken",
        arguments: [
            "correct horse battery staple", "k7#Qp2!xZm", "vgjTRWZQ4k8xEnMd", "Zürich liegt am See",
            "дождь идёт весь день",
            "lemon tractor oyster", "9c1f44e0a7d2b863", "my cat eats passwords",
        ])
    func strong(text: String) throws { #expect(try weakness(text) == nil) }

    @Test("bytes that are not UTF-8 are measured too")
    func bytes() throws {
        var buffer = try GuardedBuffer(count: 32)
        for offset in 0..<32 { buffer.store(UInt8(0x80 + offset), at: offset) }
        let found = try PassphraseStrength.weakness(of: buffer.bytes)
        #expect(found == .fewCharacters)
    }

    @Test("generated secrets are long, unambiguous and not weak")
    func generated() throws {
        var seen: Set<String> = []
        var characters: Set<Character> = []
        for _ in 0..<200 {
            let secret = try GeneratedSecret.make(length: GeneratedSecret.defaultLength)
            let text = secret.bytes.text
            #expect(text.count == 24)
            #expect(try weakness(text) == nil)
            seen.insert(text)
            characters.formUnion(text)
        }
        #expect(seen.count == 200)
        #expect(characters.count == 57)
        #expect(characters.isDisjoint(with: "0O1lI"))
    }
}
