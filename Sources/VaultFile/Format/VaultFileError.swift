/// The failure classes of the file format, before a path or a caller is known.
package enum VaultFileError: Error, Equatable {
    /// The file does not start with the magic bytes.
    case notAVault
    /// The file is of a version that this program does not know.
    case unsupportedVersion(UInt16)
    /// A field names something that this program does not know.
    case unsupportedFeature(field: String, value: UInt64)
    /// Bytes changed or went missing, or the structure is wrong; no passphrase was tried.
    case damaged(reason: String)
    /// A field is outside what a reader accepts or a writer may write.
    case limitExceeded(field: String, value: UInt64, bound: UInt64)
    /// The key derivation could not run.
    case notEnoughMemory(memoryKiB: UInt32)
    /// The derived key is not the one that the file commits to.
    case wrongPassphrase
    /// The key is right, but the file was edited after its last save.
    case tampered
    /// A holder of the key wrote what this program refuses.
    case invalidContents(reason: String)
    /// This recovery code opens no slot.
    case noMatchingSlot
    /// A rule for passphrases or codes was not met.
    case refused(reason: String)
    /// Guarded memory could not be had.
    case memory
}
