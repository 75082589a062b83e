import CofferCommands
import Foundation
import Testing

@Suite struct DateTextTests {
    private func read(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        return DateText.seconds(of: unsafe bytes.span.bytes)
    }

    @Test(
        "known instants",
        arguments: [
            ("2001-01-01T00:00:00Z", 0.0), ("1970-01-01T00:00:00Z", -978_307_200),
            ("2000-02-29T12:00:00Z", -26_481_600),
            ("1969-12-31T23:59:59Z", -978_307_201), ("2100-03-01T00:00:00Z", 3_129_235_200),
            ("0000-01-01T00:00:00Z", -63_145_526_400), ("9999-12-31T23:59:59Z", 252_423_993_599),
            ("2001-01-01T00:00:00.5Z", 0.5), ("2000-12-31T23:59:59.75Z", -0.25), ("2001-01-01T00:00:01.001Z", 1.001),
        ])
    func known(text: String, seconds: Double) {
        #expect(DateText.text(of: seconds) == text)
        #expect(read(text) == seconds)
    }

    @Test("every century, leap years included, agrees with Foundation")
    func foundation() throws {
        let formatter = ISO8601DateFormatter()
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        // Foundation turns to the Julian calendar before 1582.
        for year in stride(from: 1600, through: 9900, by: 25) {
            for day in ["01-01", "02-28", "03-01", "12-31"] {
                let text = String(format: "%04d", year) + "-\(day)T06:07:08Z"
                let date = try #require(formatter.date(from: text))
                #expect(read(text) == date.timeIntervalSinceReferenceDate)
                #expect(DateText.text(of: date.timeIntervalSinceReferenceDate) == text)
            }
        }
    }

    @Test("what is written reads back as the same number")
    func roundTrip() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let magnitude = pow(10, Double.random(in: -3...10.7, using: &generator))
            let seconds = Bool.random() ? magnitude : -magnitude
            let text = try #require(DateText.text(of: seconds))
            #expect(read(text) == seconds, "\(text)")
        }
    }

    @Test(
        "other spellings of one instant",
        arguments: [
            "2024-02-29T00:00:00Z", "2024-02-29", "2024-02-29T00:00Z", "2024-02-29 00:00:00.000Z",
            "2024-02-29t00:00:00z",
            "2024-02-29T01:30:00+01:30", "2024-02-28T19:00:00-05:00", "2024-02-28T19:00:00-0500",
            "2024-02-28T23:59:60Z",
        ])
    func spellings(text: String) { #expect(read(text) == 730_857_600) }

    @Test(
        "what is no date",
        arguments: [
            "", "2024", "2024-13-01", "2024-00-01", "2023-02-29", "1900-02-29", "2024-02-30", "2024-02-29T24:00:00Z",
            "2024-02-29T00:60:00Z", "2024-02-29T00:00:61Z", "2024-02-29T00:00:00", "2024-02-29T00:00:00.Z",
            "2024-02-29T00:00:00+24:00", "2024-02-29Z", " 2024-02-29", "2024-02-29T00:00:00Zx", "12024-02-29",
            "2024-2-29", "２０２４-02-29", "2024-02-29T00:00:00.00000000000000000000000000000Z",
            String(repeating: "1", count: 5000),
        ])
    func refused(text: String) { #expect(read(text) == nil) }

    @Test("what has no text", arguments: [-0.0, .nan, .infinity, 1e300, -1e300, 1e-9, 252_423_993_600])
    func noText(seconds: Double) { #expect(DateText.text(of: seconds) == nil) }
}
