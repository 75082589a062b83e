internal import Glibc

#if !os(Linux)
    #error("OwnedDescriptor knows Linux only: add a file for this system to this folder")
#endif

/// A descriptor that is closed at the end of its owner's life.
struct OwnedDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Takes over a descriptor.
    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}
