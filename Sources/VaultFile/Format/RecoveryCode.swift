package import SecureMemory

/// What opens a vault without its passphrase: a recipient's seed, and whose vault it is for.
///
/// Specified in the file format, *Slots: recovery and sharing*.
package struct RecoveryCode: ~Copyable {
    package let seed: GuardedBuffer
    package let ownerFingerprint: [UInt8]

    private static let prefix: [UInt8] = Array("C0FFER1".utf8)
    private static let alphabet: [UInt8] = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let digits = 56
    private static let byteCount = 35

    /// Reads a code as a person typed it.
    ///
    /// - Parameter text: letters of either case, with any white space and hyphens.
    /// - Throws: `refused` when a character, the length, the prefix or the checksum is wrong.
    package init(_ text: RawSpan) throws(VaultFileError) {
        var bytes = try GuardedBuffer(length: Self.byteCount)
        var position = 0
        for offset in 0..<text.byteCount {
            guard let character = Self.folded(text[offset]) else { continue }
            if position < Self.prefix.count {
                guard character == Self.prefix[position] else {
                    throw .refused(reason: "a recovery code starts with COFFER1")
                }
            } else {
                let digit = position - Self.prefix.count
                guard digit < Self.digits else { throw .refused(reason: "the recovery code is too long") }
                guard let value = Self.alphabet.firstIndex(of: character) else {
                    throw .refused(reason: "a character does not belong in a recovery code")
                }
                Self.add(UInt8(value), digit: digit, to: &bytes)
            }
            position += 1
        }
        guard position == Self.prefix.count + Self.digits else {
            throw .refused(reason: "the recovery code is too short")
        }
        let checksum = try BLAKE2b.secret("coffer1-code", of: bytes.bytes.extracting(0..<32), digestLength: 16)
        guard bytes.bytes.extracting(32..<35).equals(checksum.bytes.extracting(0..<3)) else {
            throw .refused(reason: "the recovery code is mistyped")
        }
        var seed = try GuardedBuffer(length: 16)
        seed.copy(from: bytes.bytes.extracting(0..<16), at: 0)
        self.seed = seed
        ownerFingerprint = bytes.bytes.array(16..<32)
    }

    /// The character that one stands for, or nil for what separates.
    private static func folded(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x09...0x0D, 0x20, UInt8(ascii: "-"): nil
        case UInt8(ascii: "a")...UInt8(ascii: "z"): folded(byte - 0x20)
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        default: byte
        }
    }

    /// Writes five bits, most significant first.
    private static func add(_ value: UInt8, digit: Int, to bytes: inout GuardedBuffer) {
        let bit = digit * 5
        let spread = UInt16(value) << (11 - bit % 8)
        bytes.store(bytes.bytes[bit / 8] | UInt8(spread >> 8), at: bit / 8)
        if bit / 8 + 1 < byteCount {
            bytes.store(bytes.bytes[bit / 8 + 1] | UInt8(spread & 0xFF), at: bit / 8 + 1)
        }
    }
}
