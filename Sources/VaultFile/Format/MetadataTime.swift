/// Times of the metadata: milliseconds since 1970, whoever wrote them.
///
/// Specified in the file format, *Metadata*.
package enum MetadataTime {
    /// One day.
    package static let day: Int64 = 86_400_000
    /// After so long a tombstone is dropped.
    static let tombstoneLife = 365 * day

    /// A time as it counts: below 0 as 0, and more than a day ahead as now.
    ///
    /// - Parameters:
    ///   - time: any number.
    ///   - now: the present.
    package static func counted(_ time: Int64, now: Int64) -> Int64 {
        let now = max(now, 0)
        let (latest, overflow) = now.addingReportingOverflow(day)
        return time > (overflow ? .max : latest) ? now : max(time, 0)
    }

    /// How long ago a time was: 0 for what is ahead.
    ///
    /// - Parameters:
    ///   - time: any number.
    ///   - now: the present.
    package static func age(of time: Int64, now: Int64) -> Int64 { max(max(now, 0) - counted(time, now: now), 0) }
}
