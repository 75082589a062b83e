internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("SocketActivation knows Linux only: add a file for this system to this folder")
#endif

/// A socket that the service manager listens at, and hands over with the first client.
enum SocketActivation {
    private static let firstDescriptor: Int32 = 3
    private static let most: Int32 = 64

    /// Takes the socket, if there is one for this process, and what names it out of the environment.
    ///
    /// The corresponding C function is `sd_listen_fds`.
    ///
    /// - Throws: `refused` when what was handed in is no listening socket between processes of this machine.
    static func take() throws(AgentPlaceError) -> Int32? {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) } }
        guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), count > 0 else { return nil }
        // One is all there is use for.
        for extra in 1..<max(min(count, most), 1) { close(firstDescriptor + extra) }
        guard cs_socket_listens(firstDescriptor) == 1, cs_adopt(firstDescriptor) == 0 else {
            throw .refused(path: "LISTEN_FDS", reason: "descriptor 3 is no socket that listens")
        }
        return firstDescriptor
    }

    private static func number(_ name: String) -> Int32? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe Int32(String(cString: value))
    }
}
