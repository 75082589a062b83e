internal import SecureMemory

extension RawSpan {
    /// Reads an unsigned little-endian integer; a place outside the span traps.
    package func littleEndian<Value: FixedWidthInteger & UnsignedInteger>(_ offset: Int, as type: Value.Type) -> Value {
        var value: Value = 0
        for index in (0..<MemoryLayout<Value>.size).reversed() { value = value << 8 | Value(self[offset + index]) }
        return value
    }

    /// Copies public bytes out.
    package func array(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The bytes of the number, least significant first.
    package var littleEndianBytes: [UInt8] {
        (0..<MemoryLayout<Self>.size).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
