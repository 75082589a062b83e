internal import CSystem
internal import Glibc
internal import VaultFile

#if !os(Linux)
    #error("WakeDescriptor knows Linux only: add a file for this system to this folder")
#endif

/// Wakes a thread that waits for descriptors, from any other thread.
///
/// The corresponding C function is `eventfd`.
struct WakeDescriptor: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// - Throws: why the system gives no descriptor.
    init() throws(Errno) {
        let made = cs_eventfd()
        guard made >= 0 else { throw Errno(code: errno) }
        owned = OwnedDescriptor(made)
    }

    /// What can be read from a call of ``signal()`` to the next of ``acknowledge()``.
    var descriptor: Int32 { owned.number }

    func signal() {
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the wait has ended.
        _ = unsafe write(owned.number, &one, MemoryLayout<UInt64>.size)
    }

    func acknowledge() {
        var count: UInt64 = 0
        _ = unsafe read(owned.number, &count, MemoryLayout<UInt64>.size)
    }
}
