internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("UserEnvironment knows Linux only: add a file for this system to this folder")
#endif

/// What the system tells of the user for whom this process runs.
enum UserEnvironment {
    /// The number of the effective user.
    static var user: UInt32 { geteuid() }

    /// A variable of the environment; nil if it is not set, or no text.
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// Whether there is a directory of the effective user at a path.
    static func ownsDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// The most bytes of a socket's path.
    static var socketPathLimit: Int { cs_socket_path_limit() }
}
