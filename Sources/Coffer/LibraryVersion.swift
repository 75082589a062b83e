/// The version of Coffer, in the one place where it is written.
public enum LibraryVersion {
    /// Major, minor and patch, as semantic versioning has them.
    public static let string = "0.1.0"
}
