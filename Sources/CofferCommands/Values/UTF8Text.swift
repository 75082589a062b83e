package import SecureMemory

/// UTF-8 in guarded memory, read without making a `String` of it.
package enum UTF8Text {
    /// The character that starts at an offset and the bytes it takes, or nothing if they are not well-formed.
    ///
    /// Specified in the Unicode Standard, table 3-7.
    package static func scalar(in bytes: RawSpan, at offset: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        let lead = bytes[offset]
        let length: Int
        var value: UInt32
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0x00...0x7F: return (Unicode.Scalar(lead), 1)
        case 0xC2...0xDF: (length, value) = (2, UInt32(lead & 0x1F))
        case 0xE0...0xEF:
            (length, value) = (3, UInt32(lead & 0x0F))
            if lead == 0xE0 { second = 0xA0...0xBF }
            if lead == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            (length, value) = (4, UInt32(lead & 0x07))
            if lead == 0xF0 { second = 0x90...0xBF }
            if lead == 0xF4 { second = 0x80...0x8F }
        default: return nil
        }
        guard length <= bytes.byteCount - offset, second.contains(bytes[offset + 1]) else { return nil }
        for next in 1..<length {
            let byte = bytes[offset + next]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return Unicode.Scalar(value).map { ($0, length) }
    }

    /// Whether all of it is well-formed.
    package static func isValid(_ bytes: RawSpan) -> Bool {
        var offset = 0
        while offset < bytes.byteCount {
            guard let (_, length) = scalar(in: bytes, at: offset) else { return false }
            offset += length
        }
        return true
    }

    /// Appends one character.
    package static func append(_ scalar: Unicode.Scalar, to arena: inout GuardedArena) throws(SecureMemoryError) {
        let value = scalar.value
        switch value {
        case ..<0x80:
            try arena.append(UInt8(value))
        case ..<0x800:
            try arena.append(UInt8(0xC0 | value >> 6))
            try arena.append(UInt8(0x80 | value & 0x3F))
        case ..<0x10000:
            try arena.append(UInt8(0xE0 | value >> 12))
            try arena.append(UInt8(0x80 | value >> 6 & 0x3F))
            try arena.append(UInt8(0x80 | value & 0x3F))
        default:
            try arena.append(UInt8(0xF0 | value >> 18))
            try arena.append(UInt8(0x80 | value >> 12 & 0x3F))
            try arena.append(UInt8(0x80 | value >> 6 & 0x3F))
            try arena.append(UInt8(0x80 | value & 0x3F))
        }
    }

    /// Appends a number in upper-case hexadecimal digits.
    package static func appendHex(
        _ value: UInt32, minimumDigits: Int, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        var digits = max(minimumDigits, 1)
        while digits < 8 && value >> (4 * digits) != 0 { digits += 1 }
        for place in (0..<digits).reversed() {
            let digit = UInt8(value >> (4 * place) & 0xF)
            try arena.append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10)
        }
    }

    /// How many bytes are left when one trailing LF or CRLF is taken off.
    package static func countWithoutNewline(_ bytes: RawSpan) -> Int {
        let count = bytes.byteCount
        guard count > 0, bytes[count - 1] == 0x0A else { return count }
        return count > 1 && bytes[count - 2] == 0x0D ? count - 2 : count - 1
    }
}
