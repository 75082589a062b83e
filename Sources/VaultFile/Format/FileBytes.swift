internal import Glibc

/// The bytes of a vault file: ciphertext, in memory that needs no guard.
@safe
package struct FileBytes: ~Copyable, @unchecked Sendable {
    package let count: Int
    private let base: UnsafeMutableRawPointer

    /// Makes room for bytes, which start as zeros.
    ///
    /// - Throws: `memory` when the system gives none.
    package init(count: Int) throws(VaultFileError) {
        guard count >= 0, let base = unsafe calloc(max(count, 1), 1) else { throw .memory }
        unsafe self.base = base
        self.count = count
    }

    deinit { unsafe free(base) }

    package var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe RawSpan(_unsafeStart: base, byteCount: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Copies bytes to an offset; what does not fit traps.
    package mutating func copy(from source: RawSpan, at offset: Int) {
        precondition(offset >= 0 && offset <= count && source.byteCount <= count - offset, "copy out of range")
        unsafe source.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe (base + offset).copyMemory(from: start, byteCount: source.count)
        }
    }

    /// Hands the bytes to a call that fills them.
    package mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }
}
