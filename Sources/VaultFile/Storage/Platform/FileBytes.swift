internal import Glibc

/// Owns the bytes of a file. They are what stands on the disk, encrypted, so the memory is ordinary.
@safe
package struct FileBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    /// The bytes of a mapping of their own, or 0.
    private let mapped: Int
    /// The number of bytes in use.
    package private(set) var count: Int

    /// Allocates zeroed bytes.
    ///
    /// - Parameters:
    ///   - count: the number of bytes, which the caller has checked against its limits.
    ///   - step: what the bytes are for.
    /// - Throws: `ENOMEM` if the system gives none. The corresponding C functions are `mmap` and, for few bytes, `calloc`.
    package init(count: Int, for step: StorageError.Step = .readVault) throws(StorageError) {
        guard count >= 0 else { throw StorageError(step, .outOfMemory) }
        // The allocator would keep the room of a large file after it is freed, and not always find it again.
        mapped = count >= Self.leastMapped ? count : 0
        let base =
            mapped > 0
            ? unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            : unsafe calloc(max(count, 1), 1)
        guard let base = unsafe base, unsafe base != MAP_FAILED else { throw StorageError(step, .outOfMemory) }
        unsafe self.base = base
        self.count = count
    }

    private static let leastMapped = 1 << 17

    deinit {
        if mapped > 0 { unsafe munmap(base, mapped) } else { unsafe free(base) }
    }

    /// The bytes.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe RawSpan(_unsafeStart: base, byteCount: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Forgets the bytes after a place, where a file was shorter than asked.
    mutating func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        count = newCount
    }

    /// Whether the first bytes are those of a span. The corresponding C function is `memcmp`.
    borrowing func starts(with other: RawSpan) -> Bool {
        guard other.byteCount <= count else { return false }
        return unsafe other.withUnsafeBytes { other in
            guard let start = other.baseAddress else { return true }
            return unsafe memcmp(base, start, other.count) == 0
        }
    }

    /// Hands a range of the bytes to a C function that writes them; a range outside traps.
    package mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return try unsafe body(UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
}
