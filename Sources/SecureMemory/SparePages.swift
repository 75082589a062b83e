internal import CSodium

/// Guarded pages that hold zeros and wait for their next use.
///
/// To make one takes a dozen calls of the system, and one request to the agent needs several. What is not locked, or not
/// wiped on fork, is never kept: the next one may be.
enum SparePages {
    /// The most that are kept.
    static let most = 4

    @safe
    private final class Pages: Sendable {
        private let spare = PlainMutex<[GuardedPages]>([])

        func take() -> GuardedPages? { spare.withLock { $0.popLast() } }

        func keep(_ pages: GuardedPages) -> Bool {
            spare.withLock { spare in
                guard spare.count < most else { return false }
                spare.append(pages)
                return true
            }
        }
    }

    // A child of a fork has none: what it inherited are zeros that it must not free.
    private static let ofProcess = PerProcess { Pages() }

    /// Takes a page: writable, and all zeros.
    static func take() -> GuardedPages? { ofProcess.existing?.take() }

    /// Keeps one page, whose bytes are zeros but for the last ones, or frees what is not to be kept.
    ///
    /// - Parameters:
    ///   - pages: of this process, and nobody else's.
    ///   - used: how many bytes at their end are to be wiped.
    static func giveBack(_ pages: GuardedPages, used: Int) {
        let mayBeKept = pages.count == GuardedPages.ofOnePage && pages.isLocked && pages.isWipedOnFork
        guard mayBeKept, pages.protect(.readWrite) else { return pages.free() }
        unsafe sodium_memzero(pages.address + (pages.count - used), used)
        if !ofProcess.object.keep(pages) { pages.free() }
    }
}
