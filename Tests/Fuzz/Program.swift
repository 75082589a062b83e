import PropertyLists
import SecureMemory

/// Input read as instructions, so that a changed byte gives another well-formed value and not a damaged one.
///
/// Behind the last byte everything is zero and every container ends.
struct Program {
    private let bytes: [UInt8]
    private var index = 0
    private var nodesLeft = 1_500
    /// What one instruction emits as data, before more bytes: the digest that metadata names its settings by.
    var digest: [UInt8] = []
    /// Whether keys are in NFC, as all are that come through JSON.
    var composesKeys = false

    init(_ input: RawSpan) { bytes = input.array }

    var isAtEnd: Bool { index == bytes.count }

    mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        index += 1
        return bytes[index - 1]
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(bytes[index..<min(index + count, bytes.count)])
        index += taken.count
        return taken
    }

    mutating func number(_ width: Int) -> UInt64 { (0..<width).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

    /// Text that is UTF-8, whatever the bytes.
    mutating func text() -> [UInt8] {
        let choice = Int(byte())
        if choice < Self.words.count { return Array(Self.words[choice].utf8) }
        return Array(String(decoding: take(choice & 0x3F), as: UTF8.self).utf8)
    }

    // Keys that the metadata knows, marks of JSON, and the edges of the order by code point.
    private static let words = [
        "modified", "removed", "previous", "owner", "recipients", "value", "saved", "key", "label", "a", "b", "user",
        "", "$", "$data", "é", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{1}", "\u{202E}",
    ]

    /// Builds a value; nil when the program asks for what no list holds.
    mutating func list(maximumDepth: Int = CanonicalCheck.deepest, isDictionary: Bool = false) -> GuardedBuffer? {
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            if isDictionary {
                try addDictionary(count: Int(byte() & 0x0F), depth: 1, to: &builder)
            } else {
                try addValue(depth: 1, to: &builder)
            }
            return try builder.finish(maximumDepth: maximumDepth)
        } catch {
            promise(error.code == .duplicateKey || error.code == .tooDeep, "building a value: \(error.code)")
            return nil
        }
    }

    /// Overwrites a few bytes of a list with what is left of the program.
    ///
    /// - Returns: whether there was anything left.
    mutating func edit(_ buffer: inout GuardedBuffer) -> Bool {
        guard !isAtEnd else { return false }
        for _ in 0..<8 where !isAtEnd {
            // Even numbers count from the end, where the trailer is.
            let place = Int(number(2))
            let offset = place / 2 % buffer.count
            buffer.store(byte(), at: place % 2 == 0 ? buffer.count - 1 - offset : offset)
        }
        return true
    }

    private mutating func addValue(depth: Int, to builder: inout PropertyListBuilder) throws(PropertyListError) {
        let instruction = byte()
        let count = Int(instruction >> 4)
        nodesLeft -= 1
        switch instruction & 0x0F {
        case 0: try builder.boolean(count & 1 == 1)
        case 1: try builder.integer(Int64(truncatingIfNeeded: number(min(count, 8))))
        case 2: try builder.real(Double(bitPattern: number(8)))
        case 3:
            let seconds = Double(bitPattern: number(8))
            try builder.date(seconds.isFinite ? seconds : 0)
        case 4: try builder.date(Double(Int64(bitPattern: number(8)) >> 24) / Double(1 << count))
        case 5: try builder.data(take(count).rawSpan)
        case 6: try builder.data(take(Int(byte())).rawSpan)
        case 7: try builder.data([UInt8](repeating: byte(), count: 32).rawSpan)
        case 8: try builder.data((digest + take(8 * count)).rawSpan)
        case 9: try builder.string(utf8: text().rawSpan)
        case 10: try addUTF16(take(2 * count), to: &builder)
        case 11:
            // More objects than one byte counts.
            try builder.beginArray()
            for _ in 0..<max(min(200 + count * 8, nodesLeft), 0) { try builder.boolean(true) }
            try builder.endArray()
            nodesLeft -= 200 + count * 8
        case 12, 13:
            try builder.beginArray()
            for _ in 0..<count where !isAtEnd && nodesLeft > 0 && depth < 70 {
                try addValue(depth: depth + 1, to: &builder)
            }
            try builder.endArray()
        default: try addDictionary(count: count, depth: depth, to: &builder)
        }
    }

    private mutating func addDictionary(
        count: Int, depth: Int, to builder: inout PropertyListBuilder
    ) throws(PropertyListError) {
        try builder.beginDictionary()
        for _ in 0..<count where !isAtEnd && nodesLeft > 0 && depth < 70 {
            let key = try composed(text())
            try builder.key(utf8: key.rawSpan)
            try addValue(depth: depth + 1, to: &builder)
        }
        try builder.endDictionary()
    }

    private func composed(_ key: [UInt8]) throws(PropertyListError) -> [UInt8] {
        guard composesKeys, key.contains(where: { $0 >= 0x80 }) else { return key }
        do throws(SecureMemoryError) {
            let composed = try Normalization.nfc(key.rawSpan)
            return composed.bytes.array
        } catch {
            throw PropertyListError(.outOfMemory)
        }
    }

    /// Adds UTF-16, or after its refusal something else: a refused text leaves the builder as it was.
    private func addUTF16(_ units: [UInt8], to builder: inout PropertyListBuilder) throws(PropertyListError) {
        do throws(PropertyListError) { try builder.string(utf16BigEndian: units.rawSpan) } catch {
            guard error.code == .malformed else { throw error }
            try builder.data(units.rawSpan)
        }
    }
}

extension RawSpan {
    /// A copy of the bytes.
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
