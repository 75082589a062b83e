import Coffer
import CofferCommands
import Glibc
import SecureMemory
import VaultFile

/// Passphrases: one line of a descriptor, its form in NFC, its length, and what is said of one that is easy to guess.
enum PassphraseArea {
    private static let longestLine = 4_096

    static func run(_ input: RawSpan) {
        do {
            try line(input)
            let passphrase = try Normalization.nfc(input.extracting(first: UTF8Text.countWithoutNewline(input)))
            length(passphrase.bytes)
            try strength(passphrase.bytes)
        } catch {
            promise(false, "a passphrase needs little memory: \(error)")
        }
    }

    /// The first line alone is read, without its end.
    private static func line(_ input: RawSpan) throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return promise(false, "there are descriptors") }
        defer { close(ends[0]) }
        let bytes = input.array
        let written = unsafe write(ends[1], bytes, bytes.count)
        close(ends[1])
        guard written == bytes.count else { return promise(false, "a pipe has room") }
        var expected = Array(bytes.prefix { $0 != 0x0A })
        if expected.count < bytes.count, expected.last == 0x0D { expected.removeLast() }
        do throws(VaultError) {
            let secret = try Secret(readingLineFrom: ends[0])
            promise(!bytes.isEmpty, "no line is no secret")
            promise(expected.count <= longestLine, "a line has 4,096 bytes at most")
            promise(secret.withBytes { $0.equals(expected.rawSpan) }, "a secret is the first line")
        } catch {
            switch error {
            case .refused: promise(bytes.isEmpty, "what has a first line is read")
            case .limitExceeded(let field, _, let bound):
                promise(field == "line" && bound == longestLine, "it is said which limit a line exceeds")
                promise(expected.count > longestLine, "a line of 4,096 bytes is read")
                return  // how much was read of it is not promised
            default: throw error
            }
        }
        var rest = [UInt8](repeating: 0, count: bytes.count + 1)
        let left = unsafe read(ends[0], &rest, rest.count)
        let behind = bytes.firstIndex(of: 0x0A).map { bytes.count - $0 - 1 } ?? 0
        promise(left == behind, "what follows the line is left")
    }

    private static func length(_ passphrase: RawSpan) {
        let isTaken = (try? MasterKey.checkPassphrase(passphrase)) != nil
        promise(isTaken == (1...1_024).contains(passphrase.byteCount), "a passphrase has 1 to 1,024 bytes")
    }

    /// Three of the four rules, on characters of the standard library; common words and runs are not known here.
    private static func strength(_ passphrase: RawSpan) throws {
        let found = try PassphraseStrength.weakness(of: passphrase)
        guard let text = String(validating: passphrase.array, as: UTF8.self) else { return }
        let characters = text.unicodeScalars.map { ("A"..."Z").contains($0) ? $0.value + 0x20 : $0.value }
        let isRepeated = (1..<8).contains { period in
            2 * period <= characters.count && characters.dropFirst(period).elementsEqual(characters.dropLast(period))
        }
        let expected: PassphraseStrength.Weakness? =
            characters.count < 10
            ? .short : Set(characters).count < 5 ? .fewCharacters : isRepeated ? .repeatedBlock : nil
        promise(found == expected || expected == nil && found == .predictable, "a weakness is the first that holds")
        let lowered = Array(text.utf8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        promise(try PassphraseStrength.weakness(of: lowered.rawSpan) == found, "capitals make nothing stronger")
    }
}
