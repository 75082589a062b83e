package import VaultFile

/// The clock of this machine.
package struct SystemClock: VaultClock {
    /// Needs nothing: the clock is that of the kernel.
    package init() {}

    /// Nanoseconds since the machine's start, sleep included.
    ///
    /// The corresponding C constant is `CLOCK_BOOTTIME`.
    package var now: Int64 { SystemTime.now }

    /// How long the machine has slept since its start, at least.
    ///
    /// It is what `CLOCK_BOOTTIME` is ahead of `CLOCK_MONOTONIC`.
    package var slept: Int64 { SystemTime.slept.lowerBound }

    /// How long the machine has slept since its start, at most.
    package var sleptAtMost: Int64 { SystemTime.slept.upperBound }

    /// Has a closure run on the background thread of this process, at a time or soon after.
    package func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp {
        try BackgroundLoop.shared.wakeUp(at: deadline, body)
    }
}
