internal import SecureMemory
internal import VaultFile

/// A passphrase in the form that keys are derived from: NFC for text, wiped when the last holder lets go.
///
/// Specified in the file format, *Passphrases*.
final class Passphrase: Sendable {
    private let bytes: GuardedBuffer

    /// Copies and normalises what the caller holds.
    init(_ secret: borrowing Secret) throws(VaultError) {
        bytes = try secret.withBytes { (text) throws(VaultError) in
            // Nothing longer can pass, and normalising takes many times its size.
            guard text.byteCount <= Self.longestText else {
                throw VaultError.refused(reason: "the passphrase is longer than \(Limits.passphrase.upperBound) bytes")
            }
            return try translating { () throws(SecureMemoryError) in try Normalization.nfc(text) }
        }
    }

    /// Composing shortens text by less than this factor.
    private static let longestText = 4 * Limits.passphrase.upperBound

    /// Checks the length, and the cost against the memory of this machine, and derives the key.
    ///
    /// - Parameters:
    ///   - derivation: cost and salt, already checked against the limits.
    ///   - available: how much memory there is, in bytes, or nil to ask for as much as the cost says.
    /// - Throws: `refused`, `limitExceeded` or `notEnoughMemory`.
    func deriveKey(_ derivation: KeyDerivation, available: UInt64?) throws(VaultFileError) -> MasterKey {
        try bytes.withBytes { (bytes) throws(VaultFileError) in
            try MasterKey.checkPassphrase(bytes)
            if let available { try derivation.checkAffordable(available: available) }
            return try MasterKey(passphrase: bytes, keyDerivation: derivation)
        }
    }

    /// Checks the length.
    ///
    /// - Throws: `refused`.
    func check() throws(VaultFileError) {
        try bytes.withBytes { (bytes) throws(VaultFileError) in try MasterKey.checkPassphrase(bytes) }
    }
}
