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

    /// A path that means the same in every working directory.
    ///
    /// The corresponding C function is `getcwd`.
    static func absolute(_ path: String) throws(Failure) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard let words = unsafe getcwd(nil, 0) else {
            throw .system("finding the working directory", SystemError(number: errno))
        }
        defer { unsafe free(words) }
        guard let directory = unsafe String(validatingCString: words) else {
            throw Failure(
                .ioError, "the path of the working directory is not valid UTF-8", hint: "use an absolute path")
        }
        return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
    }

    /// Whether a path leads to a regular file of no bytes.
    static func isEmptyFile(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }
}
