import CofferCommands
import Testing

@Suite struct DurationTextTests {
    @Test(
        "a whole number and a unit is a duration",
        arguments: [
            ("0s", 0), ("59s", 59), ("5m", 300), ("36h", 129_600), ("90d", 7_776_000), ("2w", 1_209_600),
            ("1y", 31_536_000), ("007d", 604_800), ("100000y", 3_153_600_000_000),
        ])
    func good(text: String, seconds: Int64) {
        #expect(DurationText.duration(of: text) == .seconds(seconds))
    }

    @Test(
        "all else is none",
        arguments: [
            "", "d", "90", "9 d", " 9d", "9d ", "+9d", "-9d", "9.5d", "9,5d", "0x9d", "9D", "9ms", "9dd", "1h30m",
            "\u{0663}d", "100001y", "9223372036854775807s", "9223372036854775808s", "99999999999999999999y",
        ])
    func bad(text: String) {
        #expect(DurationText.duration(of: text) == nil)
    }

    @Test(
        "an age is rounded down to its largest unit",
        arguments: [
            (0, "0s"), (999, "0s"), (59_999, "59s"), (60_000, "1m"), (3_599_999, "59m"), (3_600_000, "1h"),
            (86_399_999, "23h"), (86_400_000, "1d"), (400 * 86_400_000, "400d"), (.max, "106751991167d"),
        ] as [(Int64, String)])
    func ages(milliseconds: Int64, text: String) {
        #expect(DurationText.age(milliseconds: milliseconds) == text)
    }

    @Test(
        "a time that is left is told in its two largest units, and never as nothing while there is some",
        arguments: [
            (.zero, "0s"), (.nanoseconds(1), "1s"), (.seconds(-5), "0s"), (.milliseconds(59_001), "1m"),
            (.seconds(59), "59s"), (.seconds(61), "1m 1s"), (.seconds(3_600), "1h"), (.seconds(3_601), "1h"),
            (.seconds(5_400), "1h 30m"), (.seconds(28_800), "8h"), (.seconds(86_400 + 60), "1d"),
            (.seconds(2 * 86_400 + 7_200), "2d 2h"), (.seconds(90 * 86_400), "90d"),
        ] as [(Duration, String)])
    func left(duration: Duration, text: String) {
        #expect(DurationText.text(of: duration) == text)
    }
}
