/// What went wrong with a vault; no case carries a value, or a name that the caller did not give.
///
/// The cases are the failure classes of the file format, and a few of the library's own.
public enum VaultError: Error, Equatable, Sendable {
    /// There is no vault at this path. Create one.
    case noVault(path: String)
    /// There is something at this path already, and `create` overwrites nothing.
    case alreadyExists(path: String)
    /// The file is not a Coffer vault.
    case notAVault(path: String)
    /// The vault is of a format version that this library does not know: a newer one is needed.
    case unsupportedVersion(UInt16)
    /// The vault uses a feature that this library does not know: a newer one is needed.
    case unsupportedFeature(field: String, value: UInt64)
    /// Bytes changed or went missing: restore a copy. No passphrase was tried.
    case damaged(reason: String)
    /// A field is outside what this library accepts, or would be after the change.
    case limitExceeded(field: String, value: UInt64, bound: UInt64)
    /// The key derivation could not run with so much memory, or, without a number, guarded memory could not be had.
    ///
    /// It says nothing of the passphrase.
    case notEnoughMemory(memoryKiB: UInt32?)
    /// The passphrase is wrong; or the salt, cost or commitment was edited, or another holder changed the passphrase.
    case wrongPassphrase
    /// The passphrase is right, but the file was edited after its last save.
    case tampered
    /// A holder of the key wrote what this library refuses.
    case invalidContents(reason: String)
    /// The file is older than the newest that was seen, or has a key that was replaced: with the generations of both.
    case rolledBack(generation: UInt64, newest: UInt64)
    /// The file is another save of the newest generation that was seen.
    case forked(generation: UInt64)
    /// Another vault stands at the path.
    case replaced
    /// The vault has a new key since it was last seen, and was opened by a recovery code.
    case rekeyed
    /// The recovery code opens no slot of this vault.
    case noMatchingSlot
    /// The key of the vault changed meanwhile. Nothing was overwritten: unlock with the new passphrase.
    case conflict
    /// The vault is locked. Unlock it.
    case locked
    /// A step with the file failed; the number is the system's. Nothing was saved, and nothing was lost.
    case ioError(step: String, errno: Int32, path: String)
    /// The change is saved and in force, so it must not be done again; but a power cut may still undo it.
    ///
    /// The directory could not be brought to the disk, for the system's reason.
    case savedButNotSynced(errno: Int32, path: String)
    /// The agent did not say whether the change is made: it may be, or not. Look before you do it again.
    ///
    /// Only a vault that is used through an agent throws it.
    case outcomeUnknown(path: String)
    /// There is no such setting.
    case notFound(name: String)
    /// The setting has a value of another type than the reader asks for, or one that does not fit without loss.
    case typeMismatch(name: String, expected: String, found: String)
    /// A rule said no.
    case refused(reason: String)
}
