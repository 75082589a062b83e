internal import SecureMemory

/// The names of the files that a save makes beside the vault.
struct WorkNames {
    /// The name of the lock file.
    let lock: String
    /// What the names of all temporary files of this vault start with.
    let temporaryPrefix: String

    /// How many random digits follow the prefix.
    private static let digits = 16
    /// The longest name that Linux takes, in bytes.
    private static let longestName = 255

    /// Derives the names from the name of the vault.
    init(of name: String) {
        lock = ".\(name).lock"
        temporaryPrefix = ".\(name).tmp-"
    }

    /// Whether a file system takes the names.
    var fit: Bool { temporaryPrefix.utf8.count + Self.digits <= Self.longestName }

    /// Whether a vault's name looks like a temporary file of another vault, which a save of that one would remove.
    static func isReserved(_ name: String) -> Bool {
        let suffix = name.utf8.suffix(digits)
        let rest = name.utf8.dropLast(digits)
        return name.utf8.first == UInt8(ascii: ".") && suffix.count == digits && rest.count > 6
            && rest.suffix(5).elementsEqual(".tmp-".utf8) && suffix.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// Draws the name of a temporary file.
    func temporary() -> String {
        var bytes = [UInt8](repeating: 0, count: Self.digits / 2)
        SecureRandom.fill(&bytes)
        let digits = Array("0123456789abcdef".utf8)
        let suffix = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return temporaryPrefix + String(decoding: suffix, as: UTF8.self)
    }

    /// Whether a name is one that `temporary()` draws. Compared as bytes: to Swift, two spellings of é are equal.
    func isTemporary(_ name: String) -> Bool {
        let prefix = temporaryPrefix.utf8
        let suffix = name.utf8.dropFirst(prefix.count)
        return name.utf8.starts(with: prefix) && suffix.count == Self.digits
            && suffix.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}
