internal import CSodium

/// Owns bytes between guard pages, locked into memory, left out of core dumps and wiped when freed.
///
/// A read or write past the end faults at once. In a forked child the bytes are zeros and `isForeign` says so; the
/// child never frees the pages, because libsodium would take the wiped canary for an overrun and abort. Where one page is
/// enough, it may be one that was wiped and kept.
///
/// The corresponding C functions are `sodium_malloc` and `sodium_free`.
@safe
package struct GuardedBuffer: ~Copyable, @unchecked Sendable {
    /// What the processor lets this process do with the pages.
    package enum Access { case none, read, readWrite }

    /// The number of bytes.
    package let count: Int
    package private(set) var access: Access = .readWrite

    private let pages: GuardedPages
    // The bytes are the last ones of the pages.
    private let base: UnsafeMutableRawPointer
    private let owner: UInt64

    /// Allocates zeroed bytes.
    ///
    /// - Parameter count: the number of bytes, 0 up to 1 GiB.
    package init(count: Int) throws(SecureMemoryError) {
        guard (0...1 << 30).contains(count) else { throw .outOfMemory }
        let pages: GuardedPages
        if count > GuardedPages.ofOnePage {
            pages = try GuardedPages(count: count)
        } else if let spare = SparePages.take() {
            pages = spare
        } else {
            pages = try GuardedPages(count: GuardedPages.ofOnePage)
        }
        self.pages = pages
        self.count = count
        unsafe base = pages.address + (pages.count - count)
        owner = ProcessToken.current
    }

    deinit {
        if !isForeign { SparePages.giveBack(pages, used: count) }
    }

    /// Whether the pages are locked into memory, so that they are not swapped out; hibernation writes them all the same.
    package var isLocked: Bool { pages.isLocked }

    /// Whether a forked child finds zeros in place of the bytes.
    package var isWipedOnFork: Bool { pages.isWipedOnFork }

    /// Whether another process allocated this and the fork wiped it.
    package var isForeign: Bool { owner != ProcessToken.current }

    /// The bytes. The pages must be readable.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe RawSpan(_unsafeStart: base, byteCount: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The bytes, to be changed. The pages must be writable.
    package var mutableBytes: MutableRawSpan {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// Lends the bytes to a closure: for a buffer that is a property of an object, whose spans cannot be borrowed.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }

    /// Copies bytes to an offset; what does not fit traps. The pages must be writable.
    package mutating func copy(from source: RawSpan, at offset: Int) {
        precondition(offset >= 0 && offset <= count && source.byteCount <= count - offset, "copy out of range")
        unsafe source.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe (base + offset).copyMemory(from: start, byteCount: source.count)
        }
    }

    /// Stores one byte; an offset out of range traps. The pages must be writable.
    package mutating func store(_ byte: UInt8, at offset: Int) {
        precondition(offset >= 0 && offset < count, "byte offset out of range")
        unsafe base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Hands the bytes to a C function.
    package borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Hands the bytes to a C function that writes them.
    package mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    /// Sets what the processor allows from here on.
    ///
    /// The corresponding C functions are `sodium_mprotect_noaccess`, `_readonly` and `_readwrite`.
    ///
    /// - Returns: whether the system did it; a refusal leaves the pages as they were.
    @discardableResult
    package mutating func protect(_ access: Access) -> Bool {
        guard pages.protect(access) else { return false }
        self.access = access
        return true
    }

    /// Lets `body` read bytes that are otherwise out of reach, and closes them again.
    ///
    /// - Returns: what `body` returns, or nil when the system refuses the access.
    package mutating func withReadAccess<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing GuardedBuffer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let before = access
        guard protect(.read) else { return nil }
        defer { protect(before) }
        return try body(self)
    }

    /// Overwrites the bytes with zeros. The pages must be writable.
    package mutating func wipe() { unsafe sodium_memzero(base, count) }
}

extension GuardedBuffer {
    /// Copies bytes into guarded memory.
    package init(copying source: RawSpan) throws(SecureMemoryError) {
        try self.init(count: source.byteCount)
        copy(from: source, at: 0)
    }

    /// Allocates bytes drawn from the system's generator.
    ///
    /// The corresponding C function is `randombytes_buf`.
    package init(randomCount count: Int) throws(SecureMemoryError) {
        try self.init(count: count)
        unsafe randombytes_buf(base, count)
    }
}
