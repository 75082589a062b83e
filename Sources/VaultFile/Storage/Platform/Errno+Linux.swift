internal import Glibc

#if !os(Linux)
    #error("Storage is written for Linux. A port is this folder.")
#endif

extension Errno {
    /// What the last call of this thread left.
    static var last: Errno { Errno(code: Glibc.errno) }

    /// A signal came before the call was done.
    package static let interrupted = Errno(code: EINTR)
    /// The device failed.
    package static let inputOutput = Errno(code: EIO)
    /// There is no such name.
    package static let noEntry = Errno(code: ENOENT)
    /// There is nobody behind a device or socket.
    package static let notADevice = Errno(code: ENXIO)
    /// The name is taken.
    package static let exists = Errno(code: EEXIST)
    /// It is a directory.
    package static let isDirectory = Errno(code: EISDIR)
    /// The call does not fit the file; some file systems say it of a call they do not have.
    package static let invalidArgument = Errno(code: EINVAL)
    /// The file system has no such call.
    package static let notSupported = Errno(code: EOPNOTSUPP)
    /// The system has no such call.
    package static let noSuchCall = Errno(code: ENOSYS)
    /// Somebody else holds the lock.
    package static let wouldBlock = Errno(code: EWOULDBLOCK)
    /// The file has too many names.
    package static let tooManyLinks = Errno(code: EMLINK)
    /// A symbolic link, or too many of them, where none may be.
    package static let linkLoop = Errno(code: ELOOP)
    /// Only the owner may do this.
    package static let notPermitted = Errno(code: EPERM)
    /// The file is no longer the one it was.
    package static let stale = Errno(code: ESTALE)
    /// The name is too long.
    package static let nameTooLong = Errno(code: ENAMETOOLONG)
    /// The bytes are no text.
    package static let illegalBytes = Errno(code: EILSEQ)
    /// Nobody listens there.
    package static let connectionRefused = Errno(code: ECONNREFUSED)
    /// The other end of a connection is gone.
    package static let connectionReset = Errno(code: ECONNRESET)
    /// Something did not come in time.
    package static let timedOut = Errno(code: ETIMEDOUT)
    /// The other end of a connection did not keep to the protocol.
    package static let protocolBroken = Errno(code: EPROTO)
    /// The system gave no memory.
    package static let outOfMemory = Errno(code: ENOMEM)
}
