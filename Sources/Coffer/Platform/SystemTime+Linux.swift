internal import Glibc

#if !os(Linux)
    #error("SystemTime knows Linux only: add a file for this system to this folder")
#endif

/// The clocks of the system, in nanoseconds.
package enum SystemTime {
    /// The time since the machine's start, sleep included. The corresponding C constant is `CLOCK_BOOTTIME`.
    package static var now: Int64 { read(CLOCK_BOOTTIME) }

    /// How long the machine has slept, which lies between two numbers that are mostly less than a microsecond apart.
    ///
    /// One clock is read between two readings of the other; of a few tries the one counts that was held up least.
    static var slept: ClosedRange<Int64> {
        var best = sleptOnce
        for _ in 0..<8 where best.upperBound - best.lowerBound > closeEnough {
            let next = sleptOnce
            if next.upperBound - next.lowerBound < best.upperBound - best.lowerBound { best = next }
        }
        return best
    }

    private static let closeEnough: Int64 = 20_000

    private static var sleptOnce: ClosedRange<Int64> {
        let before = read(CLOCK_MONOTONIC)
        let withSleep = read(CLOCK_BOOTTIME)
        let after = read(CLOCK_MONOTONIC)
        return withSleep - max(after, before)...withSleep - before
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Fails for a clock that the system does not have alone; Linux has had both since 2011.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
