internal import Glibc

#if !os(Linux)
    #error("Directories knows Linux only: add a file for this system to this folder")
#endif

/// What stands in a directory already.
enum Directories {
    /// Whether there is something at a path, be it a link to nothing.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether a path leads to a regular file of no bytes.
    static func isEmptyFile(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }
}
