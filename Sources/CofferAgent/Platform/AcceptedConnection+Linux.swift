internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("AcceptedConnection knows Linux only: add a file for this system to this folder")
#endif

/// What a try to accept a connection came to.
enum AcceptedConnection: ~Copyable {
    /// A connection of this user, which never blocks.
    case connection(OwnedDescriptor)
    /// There was one, and it is gone, or was of another user and is closed: another may be next.
    case passed
    /// There is none.
    case nobody
    /// There may be one, for which the system has no descriptor, or no memory.
    case noDescriptor
    /// It cannot be tried at this time.
    case failed

    /// Takes the next connection of a socket that listens.
    ///
    /// The corresponding C function is `accept4`.
    init(from listener: Int32) {
        let accepted = cs_socket_accept(listener)
        guard accepted >= 0 else {
            switch errno {
            case EAGAIN: self = .nobody
            // It was gone before it was accepted.
            case EINTR, ECONNABORTED: self = .passed
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // The system says so before it looks whether there is anybody.
                self = Poller.canRead(listener, within: 0) ? .noDescriptor : .nobody
            default: self = .failed
            }
            return
        }
        let connection = OwnedDescriptor(accepted)
        // Who is not of this user gets nothing to read, not even a refusal.
        self = UnixSocket.isOfThisUser(accepted) ? .connection(connection) : .passed
    }
}
