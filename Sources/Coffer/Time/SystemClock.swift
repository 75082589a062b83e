package import VaultFile

/// The clock of this machine.
package struct SystemClock: VaultClock {
    package init() {}

    /// Nanoseconds since the machine's start. The corresponding C constant is `CLOCK_BOOTTIME`.
    package var now: Int64 { SystemTime.now }

    /// What `CLOCK_BOOTTIME` is ahead of `CLOCK_MONOTONIC`, at least.
    package var slept: Int64 { SystemTime.slept.lowerBound }

    /// What `CLOCK_BOOTTIME` is ahead of `CLOCK_MONOTONIC`, at most.
    package var sleptAtMost: Int64 { SystemTime.slept.upperBound }

    package func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp {
        try BackgroundLoop.shared.wakeUp(at: deadline, body)
    }
}
