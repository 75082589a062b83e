package import PropertyLists
import SecureMemory

/// A property list as a Swift value, for comparing; spelled in JSON as the vectors spell it.
package indirect enum PlainValue: Sendable {
    case boolean(Bool)
    case integer(Int64)
    case real(UInt64)
    case date(UInt64)
    case data([UInt8])
    case string(String)
    case array([PlainValue])
    case dictionary([[UInt8]: PlainValue])

    /// Reads an object of a checked list.
    package init(_ object: Int, of reader: PropertyListReader) throws {
        switch reader.kind(of: object) {
        case .boolean: self = .boolean(reader.boolean(object))
        case .integer: self = .integer(reader.integer(object))
        case .real: self = .real(reader.real(object).bitPattern)
        case .date: self = .date(reader.date(object).bitPattern)
        case .data: self = .data(reader.data(object).array)
        case .string: self = .string(try Self.text(object, of: reader))
        case .array:
            var elements: [PlainValue] = []
            for index in 0..<reader.count(of: object) {
                elements.append(try PlainValue(reader.element(index, of: object), of: reader))
            }
            self = .array(elements)
        case .dictionary:
            var entries: [[UInt8]: PlainValue] = [:]
            for index in 0..<reader.count(of: object) {
                let key = try Self.text(reader.key(index, of: object), of: reader)
                entries[Array(key.utf8)] = try PlainValue(reader.value(index, of: object), of: reader)
            }
            self = .dictionary(entries)
        }
    }

    package static func text(_ object: Int, of reader: PropertyListReader) throws -> String {
        var arena = try GuardedArena()
        try reader.text(object).copyUTF8(into: &arena)
        return String(decoding: arena.bytes.array, as: UTF8.self)
    }
}

extension PlainValue: Equatable {
    /// Strings are equal by their code points alone, not by what they look like.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }
}

extension PlainValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value.bitPattern)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([PlainValue].self) {
            self = .array(value)
        } else {
            let value = try container.decode([String: PlainValue].self)
            self =
                Self.special(value)
                ?? .dictionary(
                    Dictionary(uniqueKeysWithValues: value.map { (Array($0.key.utf8), $0.value) }))
        }
    }

    private static func special(_ value: [String: PlainValue]) -> PlainValue? {
        guard value.count == 1, let (key, text) = value.first, case .string(let text) = text else {
            return nil
        }
        switch key {
        case "$int": return Int64(text).map { .integer($0) }
        case "$data": return [UInt8](hex: text).map { .data($0) }
        case "$real": return UInt64(text, radix: 16).map { .real($0) }
        case "$date": return UInt64(text, radix: 16).map { .date($0) }
        default: return nil
        }
    }
}
