internal import CSystem

/// How well this machine protects guarded memory; a refusal is reported here, and is never a trap.
public struct MemoryProtection: Sendable, Hashable {
    /// Whether the pages are locked into memory. If not (a small `RLIMIT_MEMLOCK`), they may reach swap.
    public let isLocked: Bool
    /// Whether a forked child finds zeros in place of the secrets.
    public let isWipedOnFork: Bool
    /// Whether the program binds symbols at first use: then the loader can spill pieces of secrets to the stack.
    ///
    /// Link with `-z now`, or statically, to avoid it.
    public let bindsLazily: Bool

    package init(of buffer: borrowing GuardedBuffer) {
        isLocked = buffer.isLocked
        isWipedOnFork = buffer.isWipedOnFork
        bindsLazily = Self.processBindsLazily
    }

    private static let processBindsLazily = cs_binds_at_start() == 0
}
