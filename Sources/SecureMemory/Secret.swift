/// Bytes that must not leave guarded memory: a password, a passphrase, a key, a token.
///
/// A secret is owned by one place at a time and wiped when that place lets go. It has no description, no hidden
/// `String` and no `Codable`; `withBytes(_:)` lends the bytes without a copy. In a forked child its bytes are zeros, and
/// a vault refuses it.
public struct Secret: ~Copyable, Sendable {
    private let buffer: GuardedBuffer

    /// Takes over guarded bytes, all of them.
    package init(_ buffer: consuming GuardedBuffer) {
        var buffer = buffer
        buffer.protect(.read)
        self.buffer = buffer
    }

    /// The number of bytes.
    public var count: Int { buffer.count }

    /// How well the bytes are protected on this machine.
    public var memoryProtection: MemoryProtection { MemoryProtection(of: buffer) }

    /// Whether the secret was made before a fork, which wiped it: its bytes are zeros and mean nothing.
    package var isForeign: Bool { buffer.isForeign }

    /// Lends the bytes to a closure; the span cannot leave it.
    ///
    /// - Parameter body: reads the bytes in place.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(buffer.bytes)
    }

    /// Compares two secrets, in a time that depends on their lengths alone.
    ///
    /// The corresponding C function is `sodium_memcmp`.
    ///
    /// - Parameter other: the secret to compare with.
    /// - Returns: whether both hold the same bytes.
    public borrowing func isEqual(to other: borrowing Secret) -> Bool {
        buffer.bytes.equalsInConstantTime(other.buffer.bytes)
    }
}
