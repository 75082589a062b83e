extension PlainValue {
    /// Reads a value in the JSON of the vectors, in exactly the one spelling that they have.
    ///
    /// Specified in the file format, *Test vectors*. Foundation would take keys for equal that differ in their bytes.
    package init?(json: [UInt8]) {
        var reader = JSONReader(bytes: json)
        guard let value = reader.value(), reader.offset == json.count else { return nil }
        self = value
    }

    private struct JSONReader {
        let bytes: [UInt8]
        var offset = 0
        private var depth = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        private mutating func take(_ text: StaticString) -> Bool {
            let wanted = "\(text)".utf8
            guard bytes[offset...].starts(with: wanted) else { return false }
            offset += wanted.count
            return true
        }

        mutating func value() -> PlainValue? {
            depth += 1
            defer { depth -= 1 }
            guard depth <= 64 else { return nil }
            switch next {
            case UInt8(ascii: "{"): return dictionary()
            case UInt8(ascii: "["): return array()
            case UInt8(ascii: "\""): return string().map { .string(String(decoding: $0, as: UTF8.self)) }
            case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
            case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
            default: return integer()
            }
        }

        private mutating func integer() -> PlainValue? {
            let start = offset
            while let byte = next, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) { offset += 1 }
            let text = String(decoding: bytes[start..<offset], as: UTF8.self)
            guard let number = Int64(text), String(number) == text, number.magnitude <= 1 << 53 else { return nil }
            return .integer(number)
        }

        private mutating func array() -> PlainValue? {
            offset += 1
            var elements: [PlainValue] = []
            if take("]") { return .array([]) }
            repeat {
                guard let element = value() else { return nil }
                elements.append(element)
            } while take(",")
            return take("]") ? .array(elements) : nil
        }

        private mutating func dictionary() -> PlainValue? {
            offset += 1
            if take("}") { return .dictionary([:]) }
            var (entries, last) = ([[UInt8]: PlainValue](), [UInt8]?.none)
            repeat {
                guard let key = string(), take(":"), let value = value() else { return nil }
                // Ascending, so none is there twice.
                if let last, !last.lexicographicallyPrecedes(key) { return nil }
                last = key
                entries[key] = value
            } while take(",")
            guard take("}") else { return nil }
            guard entries.count == 1, let (key, value) = entries.first, key.first == UInt8(ascii: "$") else {
                return .dictionary(entries)
            }
            guard case .string(let text) = value else { return nil }
            return PlainValue.special(key, text)
        }

        /// Reads a string, in UTF-8.
        private mutating func string() -> [UInt8]? {
            guard take("\"") else { return nil }
            var units: [UInt16] = []
            while let byte = next {
                offset += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
                case UInt8(ascii: "\\"):
                    guard let unit = escaped() else { return nil }
                    units.append(unit)
                case 0x20...0x7F: units.append(UInt16(byte))
                default: return nil
                }
            }
            return nil
        }

        private mutating func escaped() -> UInt16? {
            let plain: [UInt8: UInt16] = [
                0x22: 0x22, 0x5C: 0x5C, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
            ]
            guard let kind = next else { return nil }
            offset += 1
            if let unit = plain[kind] { return unit }
            guard kind == UInt8(ascii: "u"), bytes.count - offset >= 4 else { return nil }
            defer { offset += 4 }
            return UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        }
    }

    /// A value that JSON has no spelling for.
    private static func special(_ key: [UInt8], _ text: String) -> PlainValue? {
        switch String(decoding: key, as: UTF8.self) {
        case "$int":
            // What plain numbers can hold is spelled as one.
            guard let number = Int64(text), String(number) == text, number.magnitude > 1 << 53 else { return nil }
            return .integer(number)
        case "$data": return strict(text).map { .data($0) }
        case "$real": return bits(text).map { .real($0) }
        case "$date": return bits(text).map { .date($0) }
        default: return nil
        }
    }

    private static func bits(_ text: String) -> UInt64? {
        guard let bytes = strict(text), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func strict(_ text: String) -> [UInt8]? {
        guard let bytes = [UInt8](hex: text), bytes.hex == text else { return nil }
        return bytes
    }
}
