internal import Synchronization

/// Guarded memory for many small secrets that come and go one by one.
///
/// A guarded allocation takes a page of what a process may lock, often 64 KiB in all; here several hundred tokens share
/// that. The first is a single page, later ones come two and four at a time; a secret that is larger has its own. Pages
/// that hold nothing any more are given back.
package final class GuardedPool: Sendable {
    private let slabs = PlainMutex<[GuardedSlab]>([])
    // Secrets begin at multiples of this.
    private static let alignment = 16
    private static let page = 4_096

    /// Makes a pool without pages.
    package init() {}

    /// Stores a copy of a secret.
    ///
    /// - Returns: what owns the copy.
    package func store(_ source: RawSpan) throws(SecureMemoryError) -> GuardedCell {
        let room = max(source.byteCount.roundedUp(to: Self.alignment), Self.alignment)
        let (slab, range) = try slabs.withLock { (slabs) throws(SecureMemoryError) in
            for slab in slabs {
                if let range = try slab.store(source, room: room) { return (slab, range) }
            }
            let usual = (slabs.count < 2 ? 1 << slabs.count : 4) * Self.page
            // Before the bytes stands a canary of 16.
            let count = max(usual, (room + 16).roundedUp(to: Self.page)) - 16
            let slab = try GuardedSlab(count: count)
            guard let range = try slab.store(source, room: room) else { throw .outOfMemory }
            slabs.append(slab)
            return (slab, range)
        }
        return GuardedCell(pool: self, slab: slab, room: range, count: source.byteCount)
    }

    fileprivate func wipe(_ slab: GuardedSlab, _ range: Range<Int>) {
        let emptied = slabs.withLock { slabs -> GuardedSlab? in
            slab.wipe(range)
            guard slab.isEmpty, let index = slabs.firstIndex(where: { $0 === slab }) else { return nil }
            return slabs.remove(at: index)
        }
        _ = emptied
    }

    /// How well the worst of the pages are protected, or nil when there are none.
    package var protection: MemoryProtection? {
        slabs.withLock { slabs in
            let all = slabs.map(\.protection)
            return all.first { !$0.isLocked || !$0.isWipedOnFork } ?? all.first
        }
    }

    /// The number of bytes in all pages that are not zero, for the tests: what is wiped is zero.
    package var nonZeroCount: Int { slabs.withLock { $0.reduce(0) { $0 + $1.nonZeroCount } } }

    /// The number of allocations that stand, for the tests.
    package var slabCount: Int { slabs.withLock { $0.count } }
}

extension Int {
    fileprivate func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}

/// One secret in a pool. Whoever holds it has a lease: the bytes are wiped when the last holder lets go.
///
/// In a forked child the bytes are zeros, and are left alone.
package final class GuardedCell: Sendable {
    private let pool: GuardedPool
    private let slab: GuardedSlab
    private let room: Range<Int>
    /// The number of bytes.
    package let count: Int
    // Counting references orders what a reader has read before the wiping, but the thread sanitizer sees this alone.
    private let ended = Atomic<Int>(0)

    fileprivate init(pool: GuardedPool, slab: GuardedSlab, room: Range<Int>, count: Int) {
        self.pool = pool
        self.slab = slab
        self.room = room
        self.count = count
    }

    deinit {
        guard !slab.isForeign else { return }
        _ = ended.load(ordering: .acquiring)
        pool.wipe(slab, room)
    }

    /// Whether a fork wiped the bytes: this process never had them.
    package var isForeign: Bool { slab.isForeign }

    /// Lends the bytes, with no lock held.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { ended.add(1, ordering: .releasing) }
        return try slab.withBytes(room.lowerBound..<room.lowerBound + count, body)
    }
}
