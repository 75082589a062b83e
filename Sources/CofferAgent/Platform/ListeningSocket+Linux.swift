internal import CSystem
internal import Glibc
internal import VaultFile

#if !os(Linux)
    #error("ListeningSocket knows Linux only: add a file for this system to this folder")
#endif

/// The socket that the agent listens at, and the lock that says that it does.
struct ListeningSocket: ~Copyable, Sendable {
    private static let name = "agent.sock"
    private static let backlog: Int32 = 128
    /// How long an agent may take to end for which the service manager starts the next one: the loop's farewell and the end
    /// of the service, and some more.
    private static let longestHandover = Duration.seconds(20)

    private let directory: RuntimeDirectory
    private let lock: OwnedDescriptor
    private let socket: OwnedDescriptor
    /// Whether the file was made here; else somebody else made and owns it.
    private let isOwn: Bool
    /// The socket's file.
    let identity: SocketIdentity

    /// What to accept connections from.
    var descriptor: Int32 { socket.number }

    /// Listens: at a socket that was handed in, else at one of its own.
    ///
    /// The lock decides who lives. With a socket that was handed in, an agent that is about to end is waited for: the
    /// service manager would soon give up starting another, and clients wait at the socket meanwhile. Under the lock, a
    /// socket that nobody answers at is what a killed agent left, and is replaced; one that somebody answers at is never
    /// touched.
    ///
    /// - Parameters:
    ///   - location: where.
    ///   - inherited: a socket that the service manager listens at; it belongs to this from here on.
    /// - Throws: `alreadyRunning`; `refused` if something else than a socket stands there, or what is inherited listens
    ///   elsewhere; what opening the directory does.
    init(at location: AgentLocation, inherited: Int32? = nil) throws(AgentPlaceError) {
        let isInherited = inherited != nil
        let given = inherited.map { OwnedDescriptor($0) }
        let directory = try RuntimeDirectory(location, creating: true)
        let lock = try directory.lock(until: isInherited ? MonotonicTime.deadline(after: Self.longestHandover) : .min)
        let socket = try Self.open(given, directory)
        let identity = try Self.identity(in: directory)
        self.directory = directory
        self.lock = lock
        self.socket = socket
        self.identity = identity
        isOwn = !isInherited
    }

    // The name goes while the lock is held: the next agent's socket is never removed.
    deinit {
        if isOwn, (try? directory.entry(Self.name)) == .socket(identity) { try? directory.remove(Self.name) }
    }

    private static func open(
        _ given: consuming OwnedDescriptor?, _ directory: borrowing RuntimeDirectory
    ) throws(AgentPlaceError) -> OwnedDescriptor {
        let path = directory.location.socketPath
        if let given {
            // Clients look for the agent where its directory and its lock are.
            guard unsafe cs_socket_is_at(given.number, path) == 1 else {
                throw .refused(path: path, reason: "the socket that was handed over listens elsewhere")
            }
            return given
        }
        switch try directory.entry(name) {
        case .nothing: break
        case .other: throw .refused(path: path, reason: "it is no socket")
        case .socket:
            guard try isStale(path) else { throw .alreadyRunning }
            try directory.remove(name)
        }
        let made = cs_socket()
        guard made >= 0 else { throw .failed(step: "make a socket", errno: errno, path: path) }
        let socket = OwnedDescriptor(made)
        guard unsafe cs_socket_listen(made, path, backlog) == 0 else {
            if errno == EADDRINUSE { throw .alreadyRunning }
            throw .failed(step: "listen at the socket", errno: errno, path: path)
        }
        return socket
    }

    private static func identity(in directory: borrowing RuntimeDirectory) throws(AgentPlaceError) -> SocketIdentity {
        guard case .socket(let identity) = try directory.entry(name) else {
            throw .refused(path: directory.location.socketPath, reason: "it was taken away at once")
        }
        return identity
    }

    /// Whether nobody listens at a socket any more. What cannot be told is not stale.
    private static func isStale(_ path: String) throws(AgentPlaceError) -> Bool {
        do throws(Errno) {
            if let connection = try UnixSocket.connect(to: path) { close(connection) }
            return false
        } catch {
            switch error.code {
            case ECONNREFUSED, ENOENT: return true
            default: throw .failed(step: "see who listens", errno: error.code, path: path)
            }
        }
    }
}
