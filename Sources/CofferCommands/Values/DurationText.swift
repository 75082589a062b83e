/// Lengths of time as people write them: a whole number and a unit, such as `90d`.
package enum DurationText {
    /// What a message says of the form.
    package static let form = form(suchAs: "90d")

    /// What a message says of the form, with another example.
    package static func form(suchAs example: String) -> String {
        "a whole number and one of s, m, h, d, w, y, such as \(example)"
    }

    /// Reads a length of time; a week has 7 days and a year 365.
    ///
    /// - Parameter text: digits, then one of `s`, `m`, `h`, `d`, `w`, `y`.
    /// - Returns: nothing if the text has another form or is longer than a hundred thousand years.
    package static func duration(of text: String) -> Duration? {
        guard let unit = text.utf8.last.flatMap(seconds) else { return nil }
        let digits = text.utf8.dropLast()
        // Digits alone: a sign or a separator is a slip.
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(String(decoding: digits, as: UTF8.self))
        else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow, seconds <= longest else { return nil }
        return .seconds(seconds)
    }

    /// How long ago something was, rounded down to the largest unit of s, m, h and d.
    ///
    /// - Parameter milliseconds: 0 or more.
    package static func age(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        if seconds < 60 { return "\(seconds)s" }
        if seconds < 3_600 { return "\(seconds / 60)m" }
        return seconds < 86_400 ? "\(seconds / 3_600)h" : "\(seconds / 86_400)d"
    }

    /// A length of time in its two largest units of d, h, m and s; what is less than a second counts as one.
    package static func text(of duration: Duration) -> String {
        let seconds = secondsRoundedUp(duration)
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        let rest = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return rest.isEmpty ? "0s" : rest.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }

    /// The whole seconds of a length of time, of which a part counts as a whole one; 0 for less than nothing.
    package static func secondsRoundedUp(_ duration: Duration) -> Int64 {
        let (seconds, rest) = duration.components
        return max(0, rest > 0 ? seconds + 1 : seconds)
    }

    private static let longest: Int64 = 100_000 * 365 * 86_400

    private static func seconds(_ unit: UInt8) -> Int64? {
        switch unit {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "d"): 86_400
        case UInt8(ascii: "w"): 7 * 86_400
        case UInt8(ascii: "y"): 365 * 86_400
        default: nil
        }
    }
}
