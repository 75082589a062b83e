import Foundation
import PropertyLists
import SecureMemory

/// A property list as a Swift value, for tests to compare with.
indirect enum Value: Equatable {
    case boolean(Bool)
    case integer(Int64)
    /// The bits, so that −0.0 and NaN compare.
    case real(UInt64)
    case date(Double)
    case data([UInt8])
    case string(String)
    case array([Value])
    case dictionary([Key: Value])

    /// A key that is equal by code points alone.
    struct Key: Hashable, Comparable, ExpressibleByStringInterpolation {
        let text: String

        init(_ text: String) { self.text = text }
        init(stringLiteral text: String) { self.text = text }

        var utf8: [UInt8] { Array(text.utf8) }

        static func == (left: Self, right: Self) -> Bool { left.utf8 == right.utf8 }
        static func < (left: Self, right: Self) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
        func hash(into hasher: inout Hasher) { hasher.combine(utf8) }
    }

    static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.string(let a), .string(let b)): Array(a.utf8) == Array(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    static func real(_ value: Double) -> Value { .real(value.bitPattern) }

    /// The containers on the longest way down.
    var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .dictionary(let entries): 1 + (entries.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    /// Gives the value to a builder, keys in the order of the dictionary, which is none.
    func add(to builder: inout PropertyListBuilder) throws(PropertyListError) {
        switch self {
        case .boolean(let value): try builder.boolean(value)
        case .integer(let value): try builder.integer(value)
        case .real(let bits): try builder.real(Double(bitPattern: bits))
        case .date(let value): try builder.date(value)
        case .data(let bytes): try unsafe builder.data(bytes.span.bytes)
        case .string(let text):
            let utf8 = Array(text.utf8)
            try unsafe builder.string(utf8: utf8.span.bytes)
        case .array(let elements):
            try builder.beginArray()
            for element in elements { try element.add(to: &builder) }
            try builder.endArray()
        case .dictionary(let entries):
            try builder.beginDictionary()
            for (key, value) in entries {
                let utf8 = key.utf8
                try unsafe builder.key(utf8: utf8.span.bytes)
                try value.add(to: &builder)
            }
            try builder.endDictionary()
        }
    }

    /// The canonical list of the value.
    func list(maximumDepth: Int = 64) throws -> [UInt8] {
        var builder = try PropertyListBuilder()
        try add(to: &builder)
        let buffer = try builder.finish(maximumDepth: maximumDepth)
        return Array(copying: buffer.bytes)
    }

    /// Reads a value out of a checked list.
    init(_ object: Int, of reader: PropertyListReader) {
        switch reader.kind(of: object) {
        case .boolean: self = .boolean(reader.boolean(object))
        case .integer: self = .integer(reader.integer(object))
        case .real: self = .real(reader.real(object))
        case .date: self = .date(reader.date(object))
        case .data: self = .data(Array(copying: reader.data(object)))
        case .string: self = .string(String(reading: reader.text(object)))
        case .array:
            var elements: [Value] = []
            for index in 0..<reader.count(of: object) {
                elements.append(Value(reader.element(index, of: object), of: reader))
            }
            self = .array(elements)
        case .dictionary:
            var entries: [Key: Value] = [:]
            for index in 0..<reader.count(of: object) {
                let key = Key(String(reading: reader.text(reader.key(index, of: object))))
                entries[key] = Value(reader.value(index, of: object), of: reader)
            }
            self = .dictionary(entries)
        }
    }

    /// Reads a list that has passed the check.
    init(list: [UInt8]) { unsafe self.init(0, of: PropertyListReader(trusted: list.span.bytes)) }
}

extension String {
    init(reading text: PropertyListText) {
        let bytes = Array(copying: text.bytes)
        switch text.encoding {
        case .ascii: self = String(decoding: bytes, as: UTF8.self)
        case .utf16:
            let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            self = String(decoding: units, as: UTF16.self)
        }
    }
}

extension [UInt8] {
    init(copying span: RawSpan) { self = unsafe span.withUnsafeBytes { unsafe Array($0) } }

    /// Checks the bytes as a list; nil when they pass.
    func refusal(
        maximumDepth: Int = 64, requireDictionary: Bool = false, names: NameRule = .any
    ) -> PropertyListError.Code? {
        do throws(PropertyListError) {
            try unsafe CanonicalCheck.check(
                span.bytes, maximumDepth: maximumDepth, requireDictionary: requireDictionary, names: names)
            return nil
        } catch {
            return error.code
        }
    }

    /// Encodes a checked list anew.
    func reencoded() throws -> [UInt8] {
        var builder = try PropertyListBuilder()
        let reader = unsafe PropertyListReader(trusted: span.bytes)
        try builder.copy(0, of: reader)
        let buffer = try builder.finish(maximumDepth: 64)
        return Array(copying: buffer.bytes)
    }
}

extension Value {
    /// The value without keys that Foundation takes for others, because they are canonically equal.
    var withoutEqualLookingKeys: Value {
        switch self {
        case .array(let elements): return .array(elements.map(\.withoutEqualLookingKeys))
        case .dictionary(let entries):
            var seen: Set<String> = []
            let kept = entries.filter { seen.insert($0.key.text).inserted }
            return .dictionary(kept.mapValues(\.withoutEqualLookingKeys))
        default: return self
        }
    }

    /// The value as Foundation writes it.
    var object: Any {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value
        case .real(let bits): Double(bitPattern: bits)
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .data(let bytes): Data(bytes)
        case .string(let text): text
        case .array(let elements): elements.map(\.object)
        case .dictionary(let entries):
            Dictionary(uniqueKeysWithValues: entries.map { ($0.key.text, $0.value.object) })
        }
    }
}
