internal import SecureMemory

/// Dates as ISO 8601 text: seconds since 2001-01-01T00:00:00Z to text and back, without loss.
///
/// Written as `2001-01-01T00:00:00Z` with as many digits of a fraction as are needed, for the years 0000 to 9999.
/// Read with a time of day or without, with `Z` or an offset; a date alone is midnight UTC, and a time needs its zone.
package enum DateText {
    // The seconds of the years 0000 to 9999.
    private static let range = -63_145_526_400.0..<252_423_993_600.0

    /// The text of a date, or nothing if it is out of the range, its fraction is too small to write, or it is -0.
    package static func text(of seconds: Double) -> String? {
        // The text of zero is that of the other zero.
        guard range.contains(seconds), seconds != 0 || seconds.sign == .plus else { return nil }
        let whole = seconds.rounded(.down)
        guard let fraction = fraction(of: seconds, whole: whole) else { return nil }
        let total = Int(whole)
        let days = (total >= 0 ? total : total - 86_399) / 86_400
        let rest = total - days * 86_400
        let (year, month, day) = CivilDate.date(days: days)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return "\(date)T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))\(fraction)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // The shortest decimal digits after the point that still tell the number from its neighbours.
    private static func fraction(of seconds: Double, whole: Double) -> String? {
        guard seconds != whole else { return "" }
        let text = seconds.magnitude.description
        guard !text.contains("e"), let point = text.firstIndex(of: ".") else { return nil }
        let digits = text[text.index(after: point)...]
        guard seconds < 0 else { return ".\(digits)" }
        return ".\(complement(Array(digits.utf8)))"
    }

    // One minus a decimal fraction, as digits.
    private static func complement(_ digits: [UInt8]) -> String {
        var result = digits
        var carry = true
        for index in digits.indices.reversed() {
            let nines = 9 - (digits[index] - 0x30) + (carry ? 1 : 0)
            carry = nines == 10
            result[index] = 0x30 + (carry ? 0 : nines)
        }
        return String(decoding: result, as: UTF8.self)
    }

    // With a fraction of 20 digits and an offset a date that is written here has 46 bytes.
    private static let longest = 48

    /// Reads a date.
    ///
    /// Text that is no date may be a secret that was given with the wrong type, so nothing of it is copied: only the
    /// digits of a fraction are, once the whole text is known to be a date.
    ///
    /// - Parameter text: ASCII; more than 48 bytes are no date.
    /// - Returns: the seconds since 2001, or nothing if the text is not of the form or names no such day or time.
    package static func seconds(of text: RawSpan) -> Double? {
        guard text.byteCount <= longest else { return nil }
        var scan = Scan(text)
        guard let year = scan.number(4), scan.take("-"), let month = scan.number(2),
            (1...12).contains(month), scan.take("-"), let day = scan.number(2),
            (1...CivilDate.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        var seconds = CivilDate.days(year: year, month: month, day: day) * 86_400
        if scan.isAtEnd { return Double(seconds) }
        guard scan.take("T") || scan.take("t") || scan.take(" "), let hour = scan.number(2), hour < 24, scan.take(":"),
            let minute = scan.number(2), minute < 60
        else { return nil }
        seconds += hour * 3600 + minute * 60
        var fraction = 0..<0
        if scan.take(":") {
            // A leap second has no number of its own: it is the one after.
            guard let second = scan.number(2), second <= 60 else { return nil }
            seconds += second
            if scan.take(".") || scan.take(",") {
                fraction = scan.digits()
                guard !fraction.isEmpty else { return nil }
            }
        }
        guard let offset = scan.zone(), scan.isAtEnd else { return nil }
        return number(seconds - offset, fraction.map { text[$0] })
    }

    // Puts the decimal digits together, so that the sum is rounded once.
    private static func number(_ whole: Int, _ fraction: [UInt8]) -> Double? {
        guard fraction.contains(where: { $0 != 0x30 }) else { return Double(whole) }
        let digits = String(decoding: fraction, as: UTF8.self)
        return whole >= 0 ? Double("\(whole).\(digits)") : Double("-\(-whole - 1).\(complement(fraction))")
    }

    private struct Scan: ~Escapable {
        let bytes: RawSpan
        var index = 0

        @_lifetime(copy bytes)
        init(_ bytes: RawSpan) { self.bytes = bytes }

        var isAtEnd: Bool { index == bytes.byteCount }

        @_lifetime(self: copy self)
        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.byteCount, UInt32(bytes[index]) == character.value else { return false }
            index += 1
            return true
        }

        /// The places of the digits that come next.
        @_lifetime(self: copy self)
        mutating func digits() -> Range<Int> {
            let start = index
            while index < bytes.byteCount, (0x30...0x39).contains(bytes[index]) { index += 1 }
            return start..<index
        }

        @_lifetime(self: copy self)
        mutating func number(_ width: Int) -> Int? {
            guard index + width <= bytes.byteCount else { return nil }
            var value = 0
            for place in index..<index + width {
                guard (0x30...0x39).contains(bytes[place]) else { return nil }
                value = value * 10 + Int(bytes[place] - 0x30)
            }
            index += width
            return value
        }

        /// Seconds east of Greenwich.
        @_lifetime(self: copy self)
        mutating func zone() -> Int? {
            if take("Z") || take("z") { return 0 }
            let sign: Int
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
            guard let hour = number(2), hour < 24 else { return nil }
            _ = take(":")
            guard let minute = number(2), minute < 60 else { return nil }
            return sign * (hour * 3600 + minute * 60)
        }
    }
}
