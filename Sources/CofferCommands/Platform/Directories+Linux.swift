internal import Glibc

#if !os(Linux)
    #error("Directories knows Linux only: add a file for this system to this folder")
#endif

/// Directories that are made on the way to a new vault.
enum Directories {
    /// Makes a directory and those above it that are missing, for this user alone.
    static func make(_ path: String) throws(SystemError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            let number = errno
            // A directory that is there may be one that we must not write to.
            var status = stat()
            guard unsafe stat(made, &status) == 0 else { throw SystemError(number: number) }
        }
    }

    /// Whether there is something at a path, be it a link to nothing.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }
}
