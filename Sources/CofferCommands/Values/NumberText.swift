internal import Glibc
package import SecureMemory

/// Integers and reals as text in guarded memory.
package enum NumberText {
    /// Reads a decimal integer of the full range; leading zeros and a leading plus sign are allowed.
    package static func integer(_ text: RawSpan) -> Int64? {
        var offset = 0
        let isNegative = text.byteCount > 0 && text[0] == UInt8(ascii: "-")
        if isNegative || (text.byteCount > 0 && text[0] == UInt8(ascii: "+")) { offset = 1 }
        guard offset < text.byteCount else { return nil }
        var value: Int64 = 0
        while offset < text.byteCount {
            guard (0x30...0x39).contains(text[offset]) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(text[offset] - 0x30)
            let (sum, spill) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !overflow, !spill else { return nil }
            value = sum
            offset += 1
        }
        return value
    }

    /// Reads a real: decimal with or without an exponent, `inf`, `-inf` or `nan`.
    ///
    /// The corresponding C function is `strtod`.
    package static func real(_ text: RawSpan) throws(SecureMemoryError) -> Double? {
        if matches(text, "nan") { return .nan }
        if matches(text, "inf") || matches(text, "+inf") { return .infinity }
        if matches(text, "-inf") { return -.infinity }
        // strtod also takes hexadecimal and names; only digits, signs, a point and an exponent get to it.
        var hasDigit = false
        for offset in 0..<text.byteCount {
            switch text[offset] {
            case 0x30...0x39: hasDigit = true
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): break
            default: return nil
            }
        }
        guard hasDigit else { return nil }
        var terminated = try GuardedBuffer(count: text.byteCount + 1)
        terminated.copy(from: text, at: 0)
        let (value, length): (Double, Int) = unsafe terminated.withUnsafeBytes { bytes in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return (0, 0) }
            var end: UnsafeMutablePointer<CChar>?
            let value = unsafe strtod(start, &end)
            guard let end = unsafe end else { return (0, 0) }
            return (value, unsafe UnsafePointer(end) - start)
        }
        // A finite text that is too large is a mistake, not infinity.
        return length == text.byteCount && value.isFinite ? value : nil
    }

    private static func matches(_ text: RawSpan, _ word: StaticString) -> Bool {
        guard text.byteCount == word.utf8CodeUnitCount else { return false }
        for offset in 0..<text.byteCount {
            let byte = text[offset]
            let folded = (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
            if unsafe folded != word.utf8Start[offset] { return false }
        }
        return true
    }

    /// Appends an integer in decimal digits.
    package static func append(_ value: Int64, to arena: inout GuardedArena) throws(SecureMemoryError) {
        if value < 0 { try arena.append(UInt8(ascii: "-")) }
        var divisor: UInt64 = 1
        while value.magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            try arena.append(UInt8(0x30 + value.magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// The shortest text that reads back as the same real; it always has a point, an exponent or a name.
    ///
    /// A real is no secret: like every typed setting it may be a Swift value.
    package static func text(of value: Double) -> String { value.isNaN ? "nan" : value.description }
}
