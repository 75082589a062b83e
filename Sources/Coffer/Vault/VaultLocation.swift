/// Where a vault's file is.
public struct VaultLocation: Hashable, Sendable {
    private enum Place: Hashable {
        case file(String)
        case userData(directory: String, name: String)
    }

    private let place: Place

    /// A file at a path of the caller's choice.
    ///
    /// - Parameter path: absolute, or relative to the working directory at the time of each call.
    /// - Returns: the location.
    public static func file(_ path: String) -> VaultLocation { VaultLocation(place: .file(path)) }

    /// A file in the user's data directory: `$XDG_DATA_HOME`, or `~/.local/share`.
    ///
    /// - Parameters:
    ///   - identifier: the name of a directory of the app's own, such as `com.example.mail`.
    ///   - name: the vault's name in it; `.coffer` is added.
    /// - Returns: the location.
    public static func userData(_ identifier: String, name: String = "default") -> VaultLocation {
        VaultLocation(place: .userData(directory: identifier, name: name))
    }

    /// Whether the directories are of Coffer's choice, and may be made.
    var isInUserData: Bool {
        if case .userData = place { return true }
        return false
    }

    /// The path of the file.
    ///
    /// - Throws: `refused` for a name that is no name of a directory or file; `ioError` when the user has no home
    ///   directory.
    package func path() throws(VaultError) -> String {
        switch place {
        case .file(let path): return path
        case .userData(let directory, let name):
            for part in [directory, name] {
                let isName =
                    !part.utf8.isEmpty && part != "." && part != ".." && !part.utf8.contains { $0 == 0 || $0 == 0x2F }
                guard isName else { throw .refused(reason: "a vault's location is named without a path") }
            }
            guard let data = UserDirectories.data() else {
                throw .ioError(step: "find the user's home directory", errno: 0, path: "~")
            }
            return "\(data)/\(directory)/\(name).coffer"
        }
    }
}
