internal import CSystem
internal import Glibc
package import VaultFile

#if !os(Linux)
    #error("SignalDescriptor knows Linux only: add a file for this system to this folder")
#endif

/// Signals that are read like a file, so that no handler interrupts anything.
package enum SignalDescriptor {
    /// The signals that end a program of this package.
    package static let ending = [SIGTERM, SIGINT, SIGHUP]

    /// Blocks signals in this thread and those that it starts, and opens a descriptor that tells of them.
    ///
    /// The corresponding C functions are `sigprocmask` and `signalfd`.
    package static func open(_ signals: [Int32]) throws(Errno) -> OwnedDescriptor {
        let set = signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
        guard cs_signal_mask(SIG_BLOCK, set, nil) == 0 else { throw Errno(code: errno) }
        let descriptor = cs_signalfd(set)
        guard descriptor >= 0 else { throw Errno(code: errno) }
        return OwnedDescriptor(descriptor)
    }

    /// Takes the next signal, if one came.
    static func next(_ descriptor: Int32) -> Int32? {
        let number = cs_signalfd_read(descriptor)
        return number > 0 ? number : nil
    }
}
