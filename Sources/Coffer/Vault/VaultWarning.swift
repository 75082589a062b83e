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
    /// What was to lock the vault does not work here, for the system's reason: choose another trigger, or a deadline.
    case triggerUnavailable(name: String, errno: Int32)
    /// The system gives no thread that would lock the vault at its deadline: it counts at the next access all the same.
    case timerUnavailable
    /// The file cannot be watched, for the system's reason: saves of other processes show at the next access.
    case fileNotWatched(errno: Int32)
    /// What was seen of the vault could not be written down, so that less is noticed another time.
    ///
    /// The system's reason and the path of the state; 0 when the user has no home directory.
    case freshnessNotRemembered(errno: Int32, path: String)
}
