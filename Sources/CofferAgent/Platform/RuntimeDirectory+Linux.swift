internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("RuntimeDirectory knows Linux only: add a file for this system to this folder")
#endif

/// The runtime directory, open and checked: it belongs to this user, and nobody else may enter it.
///
/// What was checked is the directory that is open; a socket's path is looked up again. Nobody else can put another
/// directory in its place, if the directory around it belongs to this user or to root, and can be written by its owner
/// alone or is sticky, which is checked too; and if the same is so of those above, which is not.
struct RuntimeDirectory: ~Copyable, Sendable {
    let location: AgentLocation
    private let directory: OwnedDescriptor

    /// Opens the directory.
    ///
    /// - Parameters:
    ///   - location: its place.
    ///   - creating: whether it is made, with the permissions 0700, if there is none.
    /// - Throws: `refused` for a directory of others or open to them, or in one that others may write, for a link and for what is no directory, and for a
    ///   path that is too long for a socket; `failed` with the system's reason.
    init(_ location: AgentLocation, creating: Bool = false) throws(AgentPlaceError) {
        let directory = try Self.open(location, creating: creating)
        self.location = location
        self.directory = directory
    }

    private static func open(_ location: AgentLocation, creating: Bool) throws(AgentPlaceError) -> OwnedDescriptor {
        let path = location.directory
        guard location.isShortEnough else {
            throw .refused(path: location.socketPath, reason: AgentLocation.isTooLong)
        }
        let isNew = unsafe creating && mkdir(path, S_IRWXU) == 0
        if creating, !isNew, errno != EEXIST {
            throw .failed(step: "make the runtime directory", errno: errno, path: path)
        }
        // The umask may have taken something away from us, even the right to open it.
        if isNew { _ = unsafe fchmodat(AT_FDCWD, path, S_IRWXU, AT_SYMLINK_NOFOLLOW) }
        let descriptor = unsafe cs_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            switch errno {
            case ELOOP, ENOTDIR: throw .refused(path: path, reason: "it is no directory")
            default: throw .failed(step: "open the runtime directory", errno: errno, path: path)
            }
        }
        let directory = OwnedDescriptor(descriptor)
        // Once more, since not every C library can do it by name without following a link.
        if isNew { fchmod(descriptor, S_IRWXU) }
        try check(descriptor, path)
        try checkParent(descriptor, path)
        return directory
    }

    private static func check(_ descriptor: Int32, _ path: String) throws(AgentPlaceError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .failed(step: "look at the runtime directory", errno: errno, path: path)
        }
        guard status.st_uid == geteuid() else { throw .refused(path: path, reason: "it belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw .refused(path: path, reason: "others may enter it: it needs the permissions 0700")
        }
    }

    private static func checkParent(_ descriptor: Int32, _ path: String) throws(AgentPlaceError) {
        var status = stat()
        // Of the directory that is open: the path may lead there through links.
        guard unsafe fstatat(descriptor, "..", &status, 0) == 0 else {
            throw .failed(step: "look at the directory around the runtime directory", errno: errno, path: path)
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .refused(
                path: path, reason: "another user may put another in its place, who owns the directory around it")
        }
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw .refused(
                path: path, reason: "others may put another in its place: they can write the directory around it")
        }
    }

    // MARK: What is in it

    /// What stands under a name.
    enum Entry: Equatable {
        case nothing
        case socket(SocketIdentity)
        case other
    }

    /// Looks what stands under a name; a link is something else than what it leads to.
    func entry(_ name: String) throws(AgentPlaceError) -> Entry {
        var status = stat()
        guard unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return .nothing }
            throw .failed(step: "look for the socket", errno: errno, path: location.socketPath)
        }
        return status.st_mode & S_IFMT == S_IFSOCK ? .socket(SocketIdentity(status)) : .other
    }

    /// Removes a name.
    func remove(_ name: String) throws(AgentPlaceError) {
        guard unsafe unlinkat(directory.number, name, 0) == 0 || errno == ENOENT else {
            throw .failed(step: "remove the socket of an agent that is gone", errno: errno, path: location.socketPath)
        }
    }

    /// Takes the lock that an agent holds for life. The file stays: who removes it may remove another's.
    ///
    /// - Parameter deadline: until when to wait for who has it, on `CLOCK_BOOTTIME`, in nanoseconds.
    /// - Returns: the descriptor that holds it.
    /// - Throws: `alreadyRunning` if somebody has it.
    func lock(until deadline: Int64 = .min) throws(AgentPlaceError) -> OwnedDescriptor {
        let path = location.lockPath
        let opened = unsafe cs_openat(
            directory.number, "agent.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else {
            switch errno {
            case ELOOP, ENXIO, EISDIR: throw .refused(path: path, reason: "it is no file")
            default: throw .failed(step: "open the agent's lock", errno: errno, path: path)
            }
        }
        let lock = OwnedDescriptor(opened)
        while cs_flock(opened, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK where MonotonicTime.now < deadline: usleep(20_000)
            case EWOULDBLOCK: throw .alreadyRunning
            default: throw .failed(step: "take the agent's lock", errno: errno, path: path)
            }
        }
        return lock
    }
}
