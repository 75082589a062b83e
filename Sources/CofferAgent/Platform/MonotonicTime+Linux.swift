internal import Coffer
internal import Glibc

#if !os(Linux)
    #error("MonotonicTime knows Linux only: add a file for this system to this folder")
#endif

/// Time that only moves on, for waiting: a sleep of the machine counts, so that no patience outlives one.
package enum MonotonicTime {
    /// Nanoseconds since the machine started.
    package static var now: Int64 { SystemTime.now }

    /// When a duration that begins now has passed; never, if that is beyond all numbers.
    package static func deadline(after duration: Duration) -> Int64 { now.addingSaturated(duration.nanoseconds) }

    /// Waits for a moment, for what other threads end soon.
    static func pause() { usleep(1_000) }

    /// Nanoseconds as `poll` takes them: not less, so that nothing wakes too early and has to wait once more.
    static func milliseconds(_ nanoseconds: Int64) -> Int32 {
        Int32(clamping: max(nanoseconds, 0) / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0))
    }
}
