internal import Glibc

#if !os(Linux)
    #error("AbsolutePath knows Linux only: add a file for this system to this folder")
#endif

/// A path as the agent takes it, which has another working directory.
enum AbsolutePath {
    /// The path, with the working directory before it if it is relative; nil if there is no working directory.
    ///
    /// The corresponding C function is `getcwd`.
    static func of(_ path: String) -> String? {
        guard path.utf8.first != UInt8(ascii: "/") else { return path }
        guard let directory = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(directory) }
        return unsafe String(validatingCString: directory).map { "\($0)/\(path)" }
    }
}
