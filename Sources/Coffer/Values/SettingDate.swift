/// A moment in time, as settings store it: a finite number of seconds since 2001-01-01T00:00:00Z.
///
/// That is the reference date of property lists, and of Foundation's `timeIntervalSinceReferenceDate`. Leap seconds are
/// not counted. A `Double` holds today's dates to less than a millionth of a second; whole seconds are exact for
/// 285 million years. Minus zero and zero are one moment, and equal; each is stored as it is.
public struct SettingDate: Hashable, Comparable, Sendable {
    /// Seconds since 2001-01-01T00:00:00Z, never an infinity or not a number.
    public let secondsSince2001: Double

    /// From 1970-01-01 to 2001-01-01.
    private static let epoch = 978_307_200.0

    /// Takes a moment by the reference date of property lists.
    ///
    /// - Parameter secondsSince2001: seconds since 2001-01-01T00:00:00Z, negative before it.
    /// - Returns: nil for an infinity or not a number.
    public init?(secondsSince2001: Double) {
        guard secondsSince2001.isFinite else { return nil }
        self.secondsSince2001 = secondsSince2001
    }

    /// The present, by the machine's clock, to a thousandth of a second.
    public static var now: SettingDate { SettingDate(millisecondsSince1970: WallClock.now()) }

    /// Takes a moment in milliseconds since 1970: a whole number is always finite.
    package init(millisecondsSince1970 milliseconds: Int64) {
        secondsSince2001 = Double(milliseconds) / 1_000 - Self.epoch
    }

    /// Takes a moment by the reference date of Unix.
    ///
    /// - Parameter secondsSince1970: seconds since 1970-01-01T00:00:00Z, negative before it.
    /// - Returns: nil for an infinity or not a number.
    public init?(secondsSince1970: Double) {
        self.init(secondsSince2001: secondsSince1970 - Self.epoch)
    }

    /// Seconds since 1970-01-01T00:00:00Z, rounded to what a `Double` holds.
    public var secondsSince1970: Double { secondsSince2001 + Self.epoch }

    /// Whether a moment is before another.
    public static func < (left: Self, right: Self) -> Bool { left.secondsSince2001 < right.secondsSince2001 }
}
