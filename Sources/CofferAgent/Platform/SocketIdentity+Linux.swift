internal import Glibc

#if !os(Linux)
    #error("SocketIdentity knows Linux only: add a file for this system to this folder")
#endif

/// What tells one socket's file from another that takes its name.
package struct SocketIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// What stands at a path, links not followed; nil if there is nothing, or it cannot be told.
    package init?(_ path: String) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return nil }
        self.init(found)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
