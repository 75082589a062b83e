internal import Glibc

extension GuardedBuffer {
    /// How much memory a buffer of so many bytes takes: whole pages, with the canary, and one page of the allocator's.
    ///
    /// The pages that guard it take only addresses. The corresponding C function is `sodium_malloc`.
    package static func footprint(of count: Int) -> Int {
        let page = Int(getpagesize())
        let canary = 16
        let used = max(count, 1) + canary
        return (used + page - 1) / page * page + page
    }
}
