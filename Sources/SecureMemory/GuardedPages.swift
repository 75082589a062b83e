internal import CSodium
internal import CSystem
internal import Glibc

/// Pages from libsodium, with guard pages around them: locked into memory and wiped on fork, if the system allows it.
///
/// Freeing them is up to whoever made them.
@safe
struct GuardedPages: @unchecked Sendable {
    /// Where the bytes begin, which end where the last page ends.
    let address: UnsafeMutableRawPointer
    /// The number of bytes.
    let count: Int
    /// Whether the system locked them.
    let isLocked: Bool
    /// Whether a forked child finds zeros.
    let isWipedOnFork: Bool

    /// The most bytes that one page has room for, behind the canary of libsodium.
    static let ofOnePage = Int(getpagesize()) - canary
    private static let canary = 16

    /// Makes pages of zeros.
    ///
    /// - Parameter count: the number of bytes, above 0.
    init(count: Int) throws(SecureMemoryError) {
        guard Self.isReady, let address = unsafe sodium_malloc(count) else { throw .outOfMemory }
        let (pages, length) = unsafe Self.extent(of: address, count)
        // sodium_malloc hides a refused mlock; asking again costs nothing and tells.
        isLocked = unsafe mlock(pages, length) == 0
        isWipedOnFork = unsafe cs_wipe_on_fork(pages, length) == 0
        unsafe sodium_memzero(address, count)
        unsafe self.address = address
        self.count = count
    }

    // sodium_init must come before sodium_malloc: the canary is drawn there.
    private static let isReady = sodium_init() >= 0

    /// Sets what the processor allows from here on.
    ///
    /// - Returns: whether the system did it.
    func protect(_ access: GuardedBuffer.Access) -> Bool {
        let result =
            switch access {
            case .none: unsafe sodium_mprotect_noaccess(address)
            case .read: unsafe sodium_mprotect_readonly(address)
            case .readWrite: unsafe sodium_mprotect_readwrite(address)
            }
        return result == 0
    }

    /// Wipes the bytes and gives the pages back. It ends the process where something was written before them.
    func free() {
        // sodium_free writes to them without a look at whether the system lets it.
        guard protect(.readWrite) else { return drop() }
        unsafe sodium_free(address)
    }

    // Pages that cannot be written to are taken from the process, which finds zeros there; their addresses stay taken.
    private func drop() {
        let (first, length) = unsafe Self.extent(of: address, count)
        // What is locked is not dropped.
        unsafe munlock(first, length)
        unsafe madvise(first, length, MADV_DONTNEED)
    }

    private static func extent(
        of address: UnsafeMutableRawPointer, _ count: Int
    ) -> (first: UnsafeMutableRawPointer?, length: Int) {
        let first = unsafe Int(bitPattern: address - canary) & -Int(getpagesize())
        return unsafe (UnsafeMutableRawPointer(bitPattern: first), Int(bitPattern: address) + count - first)
    }
}
