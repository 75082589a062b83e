internal import CSystem

/// How well this machine protects guarded memory; a refusal is reported here, and is never a trap.
public struct MemoryProtection: Sendable, Hashable {
    /// Whether the pages are locked into memory. If not (a small `RLIMIT_MEMLOCK`), they may reach swap.
    public let isLocked: Bool
    /// Whether a forked child finds zeros in place of the secrets.
    public let isWipedOnFork: Bool
    /// Whether some library binds symbols at first use: then the loader can spill pieces of secrets to the stack.
    ///
    /// Link statically, or start the program with `LD_BIND_NOW=1`, to avoid it; `-z now` covers the calls of the program
    /// alone, not those between its libraries.
    public let bindsLazily: Bool

    package init(of buffer: borrowing GuardedBuffer) {
        isLocked = buffer.isLocked
        isWipedOnFork = buffer.isWipedOnFork
        bindsLazily = Self.processBindsLazily
    }

    private static let processBindsLazily = cs_binds_at_start() == 0
}
