/// Why the vault's file could not be read or saved. It never carries anything of the content.
package struct StorageError: Error, Equatable, Sendable {
    /// What happened, as far as a caller acts on it.
    package enum Kind: Sendable {
        /// A system call failed, for the reason in `errno`.
        case system
        /// There is no vault at the path.
        case noVault
        /// There is something at the path already, where a new vault was to be.
        case alreadyExists
        /// The path names a directory, pipe, socket or device.
        case notARegularFile
        /// The file has a second name, which a save would leave behind with the old content.
        case hardLinked
        /// The file belongs to another user, who would lose it to us by a save.
        case foreignOwner
        /// Another process held the lock for the whole time.
        case lockHeld
        /// The file at the path is not the one that the caller knows.
        case changedMeanwhile
        /// Another program wrote into the file while it was read, again and again.
        case changedWhileReading
        /// The name leaves no room for the names of the lock and the temporary file.
        case nameTooLong
        /// The name looks like a temporary file of another vault.
        case nameReserved
        /// What was read back is not what was written.
        case verificationFailed
        /// The new file is in place, but may not survive a power cut: the directory could not be brought to the disk.
        case renamedButNotSynced
    }

    /// The steps of reading and saving. The raw value completes the sentence "could not …".
    package enum Step: String, Sendable {
        case openVault = "open the vault"
        case readVault = "read the vault"
        case followLink = "follow the symbolic link"
        case openDirectory = "open the directory"
        case createDirectory = "create the directory"
        case openLockFile = "open the lock file"
        case lock = "lock the vault"
        case checkVault = "check the file to be replaced"
        case createTemporary = "create the temporary file"
        case keepGroup = "keep the group of the file"
        case keepMode = "keep the mode of the file"
        case writeTemporary = "write the temporary file"
        case syncTemporary = "bring the temporary file to the disk"
        case verifyTemporary = "read the temporary file back"
        case rename = "rename the temporary file"
        case syncDirectory = "bring the directory to the disk"
    }

    /// What happened.
    package let kind: Kind
    /// The step at which it happened.
    package let step: Step
    /// The system's error number, or the one that comes nearest.
    package let errno: Int32

    /// Makes an error of the system into one of storage.
    ///
    /// - Parameters:
    ///   - step: the step that failed.
    ///   - errno: what the system said.
    ///   - kind: what it means.
    package init(_ step: Step, _ errno: Errno, _ kind: Kind = .system) {
        self.kind = kind
        self.step = step
        self.errno = errno.code
    }
}

/// Why a vault was not read: storage failed, or the caller refused what stands at its start.
package enum ReadError<Refusal: Error>: Error {
    /// The file could not be read.
    case storage(StorageError)
    /// The caller's check of size and first bytes threw this.
    case refused(Refusal)
}

extension ReadError: Equatable where Refusal: Equatable {}
