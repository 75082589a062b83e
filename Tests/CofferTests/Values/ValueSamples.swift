import Coffer
import Foundation
import TestSupport

/// An app's own type, made of a dictionary.
struct Server: SettingValue, Equatable {
    var host: String
    var port: Int

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    static var settingTypeName: String { "dictionary of a server" }
    var stored: StoredValue { .dictionary(["host": host.stored, "port": port.stored]) }

    init?(stored: StoredValue) {
        guard case .dictionary(let fields) = stored,
            let host = fields["host"].flatMap(String.init(stored:)),
            let port = fields["port"].flatMap(Int.init(stored:))
        else { return nil }
        self.init(host: host, port: port)
    }
}

enum Theme: String, SettingValue { case light, dark }
enum Level: UInt8, SettingValue { case low = 1, high }

extension SettingKey<String?> { static let nickname = SettingKey("nickname") }
extension SettingKey<Theme> { static let theme = SettingKey("theme", default: .light) }
extension SettingKey<[Int]> { static let ports = SettingKey("ports", default: [25, 587]) }
extension SettingKey<[Server]> { static let servers = SettingKey("servers", default: []) }

extension StoredValue {
    /// A key that takes whatever is there.
    static func key(_ name: String) -> SettingKey<StoredValue?> { SettingKey(name) }

    /// One value of each type.
    static let samples: [StoredValue] = [
        .boolean(true), .integer(1), .real(1.5), .string("1"), SettingDate(secondsSince2001: 1)?.stored ?? .string(""),
        .data(SettingData([1])), .array([.integer(1)]), .dictionary(["1": .integer(1)]),
    ]

    /// All of the value as text, reals by their bits and keys in composed form: what a second reader can say as well.
    var audit: String {
        switch self {
        case .boolean(let value): return value ? "b1" : "b0"
        case .integer(let value): return "i\(value)"
        case .real(let value): return "r\(value.isNaN ? "7ff8000000000000" : Self.bits(value))"
        case .date(let value): return "t\(Self.bits(value.secondsSince2001))"
        case .data(let value): return "x\(value.bytes.hex)"
        case .string(let value): return "s\(Array(value.utf8).hex)"
        case .array(let elements): return "[\(elements.map(\.audit).joined(separator: ","))]"
        case .dictionary(let entries):
            let entries = entries.map { (Array($0.precomposedStringWithCanonicalMapping.utf8).hex, $1) }
            let sorted = entries.sorted { $0.0 < $1.0 }.map { "\($0.0):\($0.1.audit)" }
            return "{\(sorted.joined(separator: ","))}"
        }
    }

    private static func bits(_ value: Double) -> String { String(format: "%016lx", value.bitPattern) }

    /// A value of containers in containers.
    static func nested(_ depth: Int, in container: (StoredValue) -> StoredValue = { .array([$0]) }) -> StoredValue {
        (0..<depth).reduce(.integer(7)) { (value, _) in container(value) }
    }
}

/// Numbers that are the same in every run, so that a failure can be repeated: SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

extension StoredValue {
    private static let alphabet: [Character] = [
        "a", "Z", "0", "/", " ", "\0", "\u{7F}", "\u{E9}", "\u{301}", "e\u{301}", "\u{5D0}", "\u{6F22}", "\u{FFFF}",
        "\u{10000}", "\u{1F511}", "\u{10FFFF}", "\u{1112}\u{1161}\u{11AB}",
    ]

    private static func text(_ generator: inout Seeded) -> String {
        let letters = Bool.random(using: &generator) ? alphabet.prefix(7) : alphabet[...]
        let count = [0, 1, 2, 5, 14, 15, 16, 40].randomElement(using: &generator) ?? 0
        return String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }

    static func random(depth: Int, _ generator: inout Seeded) -> StoredValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return .boolean(.random(using: &generator))
        case 1: return .integer(Int64(truncatingIfNeeded: generator.next()) >> Int64(generator.next() & 63))
        // All bit patterns: also NaN of all kinds, infinities, zeros and subnormal numbers.
        case 2: return .real([Double(bitPattern: generator.next()), -0.0, .nan, .infinity][Int(generator.next() & 3)])
        case 3:
            let seconds = [Double(bitPattern: generator.next()), -0.0, 0.1, 8e8][Int(generator.next() & 3)]
            return SettingDate(secondsSince2001: seconds)?.stored ?? .string("no date")
        case 4: return .data(SettingData((0..<generator.next() % 40).map { UInt8($0) }))
        case 5: return .string(text(&generator))
        case 6: return .array((0..<generator.next() % 6).map { _ in random(depth: depth - 1, &generator) })
        default:
            let entries = (0..<generator.next() % 18).map { _ in
                (text(&generator), random(depth: depth - 1, &generator))
            }
            return .dictionary(Dictionary(entries) { (first, _) in first })
        }
    }
}
