internal import Glibc

#if !os(Linux)
    #error("AbsolutePath knows Linux only: add a file for this system to this folder")
#endif

/// A path that means the same in every working directory.
package enum AbsolutePath {
    /// Why a relative path has no absolute one.
    package enum Failure: Error, Equatable, Sendable {
        /// There is no working directory, for the system's reason.
        case noWorkingDirectory(errno: Int32)
        /// The path of the working directory is not valid UTF-8.
        case notText
    }

    /// The path, with the working directory before it if it is relative.
    ///
    /// The corresponding C function is `getcwd`.
    package static func of(_ path: String) throws(Failure) -> String {
        guard path.utf8.first != UInt8(ascii: "/") else { return path }
        guard let words = unsafe getcwd(nil, 0) else { throw .noWorkingDirectory(errno: errno) }
        defer { unsafe free(words) }
        guard let directory = unsafe String(validatingCString: words) else { throw .notText }
        return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
    }
}
