internal import SecureMemory
internal import VaultFile

/// A passphrase in the form that keys are derived from: NFC for text, wiped when the last holder lets go.
///
/// Specified in the file format, *Passphrases*.
final class Passphrase: Sendable {
    static let madeBeforeFork = "the secret was made before a fork, which wiped it"

    private let bytes: GuardedBuffer
    /// Whether it was too long to be normalised; it is refused when its turn comes in the reading order.
    private let isTooLong: Bool

    /// Copies and normalises what the caller holds.
    ///
    /// - Throws: `refused` for a secret of a parent process; `notEnoughMemory`.
    init(_ secret: borrowing Secret) throws(VaultError) {
        guard !secret.isForeign else { throw .refused(reason: Self.madeBeforeFork) }
        let isTooLong = secret.count > Self.longestText
        self.isTooLong = isTooLong
        bytes = try secret.withBytes { (text) throws(VaultError) in
            let text = isTooLong ? text.extracting(first: 0) : text
            return try translating { () throws(SecureMemoryError) in try Normalization.nfc(text) }
        }
    }

    // Composing shortens text by less than this factor, and takes many times its size.
    private static let longestText = 4 * Limits.passphrase.upperBound

    /// Checks the length, and the cost against the memory of this machine, and derives the key.
    ///
    /// - Parameters:
    ///   - derivation: cost and salt, already checked against the limits.
    ///   - available: how much memory there is, in bytes, or nil to ask for as much as the cost says.
    /// - Throws: `refused`, `limitExceeded` or `notEnoughMemory`.
    func deriveKey(_ derivation: KeyDerivation, available: UInt64?) throws(VaultFileError) -> MasterKey {
        try check()
        if let available { try derivation.checkAffordable(available: available) }
        return try bytes.withBytes { (bytes) throws(VaultFileError) in
            try MasterKey(passphrase: bytes, keyDerivation: derivation)
        }
    }

    /// Checks the length.
    ///
    /// - Throws: `refused`.
    func check() throws(VaultFileError) {
        if isTooLong { throw MasterKey.tooLong }
        try bytes.withBytes { (bytes) throws(VaultFileError) in try MasterKey.checkPassphrase(bytes) }
    }
}
