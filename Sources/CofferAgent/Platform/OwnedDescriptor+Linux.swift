internal import CSystem
internal import Glibc
package import VaultFile

#if !os(Linux)
    #error("OwnedDescriptor knows Linux only: add a file for this system to this folder")
#endif

/// A descriptor that is closed at the end of its owner's life.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let number: Int32

    /// Takes over a descriptor.
    package init(_ number: Int32) { self.number = number }

    /// Makes another descriptor for what somebody else's stands for; close-on-exec.
    ///
    /// The corresponding C function is `fcntl` with `F_DUPFD_CLOEXEC`.
    ///
    /// - Throws: why the system gives none.
    package init(duplicating other: Int32) throws(Errno) {
        let made = cs_duplicate(other)
        guard made >= 0 else { throw Errno(code: errno) }
        number = made
    }

    deinit { close(number) }
}
