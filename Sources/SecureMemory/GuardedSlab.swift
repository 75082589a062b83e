internal import CSodium

/// Guarded pages that hold several secrets of different lives: each is wiped when it goes, the pages stay.
///
/// The pages are read-only but while something is stored or wiped. Whoever stores, wipes or takes holds the lock of the
/// pool that this belongs to; readers hold none, and only read what stands still.
@safe
final class GuardedSlab: @unchecked Sendable {
    private var buffer: GuardedBuffer
    // Beside the buffer, which a reader could not borrow while somebody else stores into it.
    private let base: UnsafeMutableRawPointer
    private var free: FreeRanges

    /// How well the pages are protected.
    let protection: MemoryProtection
    private let owner = ProcessToken.current

    /// - Parameter count: the number of bytes. 16 less than whole pages wastes nothing.
    init(count: Int) throws(SecureMemoryError) {
        buffer = try GuardedBuffer(count: count)
        guard let base = unsafe buffer.withUnsafeMutableBytes({ $0.baseAddress }) else { throw .outOfMemory }
        unsafe self.base = base
        free = FreeRanges(count: count)
        protection = MemoryProtection(of: buffer)
        buffer.protect(.read)
    }

    /// Whether a fork wiped the pages.
    var isForeign: Bool { owner != ProcessToken.current }

    /// Whether nothing is stored here.
    var isEmpty: Bool { free.isUntouched }

    /// The number of bytes that are not zero.
    var nonZeroCount: Int { buffer.withBytes { bytes in (0..<bytes.byteCount).count { bytes[$0] != 0 } } }

    /// Stores a secret where there is room for it.
    ///
    /// - Parameters:
    ///   - source: the bytes.
    ///   - room: how many bytes to take, at least as many as there are.
    func store(_ source: RawSpan, room: Int) throws(SecureMemoryError) -> Range<Int>? {
        guard let range = free.take(room) else { return nil }
        guard buffer.protect(.readWrite) else {
            free.give(range)
            throw .outOfMemory
        }
        buffer.copy(from: source, at: range.lowerBound)
        buffer.protect(.read)
        return range
    }

    /// Wipes what was stored and gives the room back.
    func wipe(_ range: Range<Int>) {
        // Refused, the bytes stay where they are and are handed to nobody: they go with the pages.
        guard buffer.protect(.readWrite) else { return }
        unsafe sodium_memzero(base + range.lowerBound, range.count)
        buffer.protect(.read)
        free.give(range)
    }

    /// Lends what is stored at a place.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeStart: base + range.lowerBound, byteCount: range.count))
    }
}
