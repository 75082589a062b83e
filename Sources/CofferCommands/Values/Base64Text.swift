package import SecureMemory

/// Base64 with padding, from and to guarded memory, in a time that depends on the length alone.
///
/// Specified in RFC 4648, section 4.
package enum Base64Text {
    /// Appends the text of bytes.
    package static func append(_ bytes: RawSpan, to arena: inout GuardedArena) throws(SecureMemoryError) {
        var offset = 0
        while offset < bytes.byteCount {
            let left = min(3, bytes.byteCount - offset)
            var group = UInt32(bytes[offset]) << 16
            if left > 1 { group |= UInt32(bytes[offset + 1]) << 8 }
            if left > 2 { group |= UInt32(bytes[offset + 2]) }
            for place in 0..<4 {
                let digit = UInt8(group >> (18 - 6 * UInt32(place)) & 63)
                try arena.append(place <= left ? character(of: digit) : UInt8(ascii: "="))
            }
            offset += 3
        }
    }

    /// Appends the bytes of a text.
    ///
    /// - Returns: false when it is no canonical Base64: then what was appended means nothing.
    package static func decode(_ text: RawSpan, to arena: inout GuardedArena) throws(SecureMemoryError) -> Bool {
        guard text.byteCount.isMultiple(of: 4) else { return false }
        var offset = 0
        while offset < text.byteCount {
            let isLast = offset + 4 == text.byteCount
            var padding = 0
            if isLast && text[offset + 3] == UInt8(ascii: "=") {
                padding = text[offset + 2] == UInt8(ascii: "=") ? 2 : 1
            }
            var group: UInt32 = 0
            for place in 0..<4 - padding {
                guard let digit = digit(of: text[offset + place]) else { return false }
                group |= UInt32(digit) << (18 - 6 * UInt32(place))
            }
            // Bits behind the last byte must be zero, or two texts would stand for the same bytes.
            if padding > 0 && group & (padding == 1 ? 0xFF : 0xFFFF) != 0 { return false }
            for place in 0..<3 - padding { try arena.append(UInt8(group >> (16 - 8 * UInt32(place)) & 0xFF)) }
            offset += 4
        }
        return true
    }

    // No table: an index into one would depend on the secret.
    private static func character(of digit: UInt8) -> UInt8 {
        let value = Int32(digit)
        var result = value + 0x41
        result += ((25 - value) >> 8) & 6
        result -= ((51 - value) >> 8) & 75
        result -= ((61 - value) >> 8) & 15
        result += ((62 - value) >> 8) & 3
        return UInt8(result & 0xFF)
    }

    private static func digit(of character: UInt8) -> UInt8? {
        let value = Int32(character)
        var result: Int32 = -1
        // All ones where low ≤ value ≤ high.
        func within(_ low: Int32, _ high: Int32) -> Int32 { ((low - 1 - value) & (value - high - 1)) >> 8 }
        result += within(0x41, 0x5A) & (value - 64)
        result += within(0x61, 0x7A) & (value - 70)
        result += within(0x30, 0x39) & (value + 5)
        result += within(0x2B, 0x2B) & 63
        result += within(0x2F, 0x2F) & 64
        return result < 0 ? nil : UInt8(result)
    }
}
