package import VaultFile

/// The time that deadlines are compared on. It goes on while the machine sleeps, and nobody can set it.
package protocol VaultClock: Sendable {
    /// Nanoseconds of a clock that counts sleep.
    var now: Int64 { get }

    /// How long the machine has slept since its start, in nanoseconds: never more than it has.
    ///
    /// Compare this with an earlier `sleptAtMost`: then a growth is sleep for certain, never a thread that was held up
    /// between two readings.
    var slept: Int64 { get }

    /// How long the machine has slept since its start, in nanoseconds: never less than it has.
    var sleptAtMost: Int64 { get }

    /// Has a closure run once, on another thread, at a time or soon after.
    ///
    /// - Parameters:
    ///   - deadline: when, on this clock. A time that has passed is at once, and on another thread too.
    ///   - body: runs with no lock held.
    /// - Returns: the wake-up, which is cancelled when it is let go.
    /// - Throws: why the system could give none.
    func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp
}

/// Something that happens later, unless it is cancelled before.
package protocol WakeUp: Sendable {
    /// Cancels it. A body that has not begun does not begin; one that runs is not waited for.
    ///
    /// May be called from the body itself, and more than once.
    func cancel()
}

extension Duration {
    /// Nanoseconds: 0 for what is negative, the largest number for what is longer than 292 years.
    package var nanoseconds: Int64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : whole.addingSaturated(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// The sum, or the largest number: a deadline that never comes.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
