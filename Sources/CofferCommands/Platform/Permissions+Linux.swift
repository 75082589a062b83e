internal import Glibc

#if !os(Linux)
    #error("Permissions knows Linux only: add a file for this system to this folder")
#endif

/// Who may reach a file.
enum Permissions {
    /// The permission bits of a file that others than its owner can reach, or nothing if they cannot.
    static func ofOthers(_ path: String) -> UInt32? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        return status.st_mode & 0o777
    }
}
