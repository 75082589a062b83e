/// What does not stop a vault from working, but should be known to its owner.
public enum VaultWarning: Hashable, Sendable {
    /// The passphrase is cheaper to guess than with a cost of today: change the cost.
    case weakKeyDerivation(passes: UInt32, memoryKiB: UInt32)
    /// Others than the owner may read or write the file: its permission bits.
    case readableByOthers(permissions: UInt32)
    /// The file's group could not be kept.
    case groupNotKept
    /// The file system could not bring one file to the disk, so everything was brought.
    case syncedEverything
    /// What was seen of the vault could not be written down, so that less is noticed another time.
    ///
    /// The system's reason and the path of the state; 0 when the user has no home directory.
    case freshnessNotRemembered(errno: Int32, path: String)
}
