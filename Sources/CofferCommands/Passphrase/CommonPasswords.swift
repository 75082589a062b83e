internal import SecureMemory

/// Words that stand at the top of every list of leaked passwords, and those that name this program.
enum CommonPasswords {
    private static let words: [StaticString] = [
        "password", "passphrase", "passwort", "motdepasse", "contrasena", "passw", "pass", "secret", "coffer", "vault",
        "admin", "administrator", "root", "login", "welcome", "letmein", "master", "default", "guest", "test", "user",
        "changeme", "change", "trustno", "access", "iloveyou", "love", "princess", "sunshine", "superman", "batman",
        "pokemon", "starwars", "monkey", "dragon", "tiger", "shadow", "football", "baseball", "soccer", "hockey",
        "jordan", "michael", "jennifer", "jessica", "ashley", "daniel", "charlie", "andrew", "thomas", "hunter",
        "killer", "freedom", "whatever", "hello", "computer", "internet", "google", "facebook", "samsung", "summer",
        "winter", "spring", "autumn", "monday", "january", "flower", "cookie", "cheese", "pepper", "ginger", "banana",
        "qazwsx", "zaq", "qwe", "asd", "zxc", "abc", "blink", "mustang", "ferrari", "corvette", "liverpool", "chelsea",
    ]

    /// How many characters of a common word start at an index; the longest word counts.
    ///
    /// Digits and signs that stand for letters are taken as those letters.
    static func match(in text: RawSpan, at index: Int, character: (RawSpan, Int) -> UInt32) -> Int? {
        let rest = text.byteCount / 4 - index
        var longest = 0
        for word in words where word.utf8CodeUnitCount <= rest && word.utf8CodeUnitCount > longest {
            let matches = word.withUTF8Buffer { letters in
                (0..<letters.count).allSatisfy { place in
                    unsafe stands(character(text, index + place), for: letters[place])
                }
            }
            if matches { longest = word.utf8CodeUnitCount }
        }
        return longest > 0 ? longest : nil
    }

    private static func stands(_ character: UInt32, for letter: UInt8) -> Bool {
        if character == UInt32(letter) { return true }
        switch Unicode.Scalar(letter) {
        case "a": return character == 0x40 || character == 0x34  // @ 4
        case "b": return character == 0x38  // 8
        case "e": return character == 0x33  // 3
        case "g": return character == 0x39  // 9
        case "i": return character == 0x31 || character == 0x21  // 1 !
        case "l": return character == 0x31 || character == 0x7C  // 1 |
        case "o": return character == 0x30  // 0
        case "s": return character == 0x24 || character == 0x35  // $ 5
        case "t": return character == 0x37 || character == 0x2B  // 7 +
        case "z": return character == 0x32  // 2
        default: return false
        }
    }
}
