internal import Glibc

#if !os(Linux)
    #error("Storage is written for Linux. A port is this folder.")
#endif

extension Errno {
    /// What the last call of this thread left.
    static var last: Errno { Errno(code: Glibc.errno) }

    package static let interrupted = Errno(code: EINTR)
    package static let inputOutput = Errno(code: EIO)
    package static let noEntry = Errno(code: ENOENT)
    package static let notADevice = Errno(code: ENXIO)
    package static let exists = Errno(code: EEXIST)
    package static let isDirectory = Errno(code: EISDIR)
    package static let invalidArgument = Errno(code: EINVAL)
    package static let notSupported = Errno(code: EOPNOTSUPP)
    package static let noSuchCall = Errno(code: ENOSYS)
    package static let wouldBlock = Errno(code: EWOULDBLOCK)
    package static let tooManyLinks = Errno(code: EMLINK)
    package static let linkLoop = Errno(code: ELOOP)
    package static let notPermitted = Errno(code: EPERM)
    package static let stale = Errno(code: ESTALE)
    package static let nameTooLong = Errno(code: ENAMETOOLONG)
    package static let illegalBytes = Errno(code: EILSEQ)
    package static let outOfMemory = Errno(code: ENOMEM)
}
