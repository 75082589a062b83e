internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("UserDirectories knows Linux only: add a file for this system to this folder")
#endif

/// The user's directories, as the XDG base directory specification has them.
enum UserDirectories {
    /// The directory for data: `$XDG_DATA_HOME` if it is absolute, else `.local/share` in the home directory.
    static func data() -> String? {
        if let data = variable("XDG_DATA_HOME"), isAbsolute(data) { return data }
        return home().map { "\($0)/.local/share" }
    }

    /// The directory for state: `$XDG_STATE_HOME` if it is absolute, else `.local/state` in the home directory.
    static func state() -> String? {
        if let state = variable("XDG_STATE_HOME"), isAbsolute(state) { return state }
        return home().map { "\($0)/.local/state" }
    }

    private static func home() -> String? {
        if let home = variable("HOME"), isAbsolute(home) { return home }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard unsafe getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let start = unsafe entry.pw_dir, let home = unsafe String(validatingCString: start), isAbsolute(home)
        else { return nil }
        return home
    }

    private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }
}
