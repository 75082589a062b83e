internal import Glibc

#if !os(Linux)
    #error("WallClock knows Linux only: add a file for this system to this folder")
#endif

/// The time that people know, which may be set back and forth.
package enum WallClock {
    /// Milliseconds since 1970-01-01T00:00:00Z; 0 when the system does not say.
    ///
    /// The corresponding C function is `clock_gettime` with `CLOCK_REALTIME`.
    package static func now() -> Int64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000)
        return overflow ? 0 : seconds + Int64(time.tv_nsec) / 1_000_000
    }
}
