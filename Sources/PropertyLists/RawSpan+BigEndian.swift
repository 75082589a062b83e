// Every load is preceded by a check of its range, so that a wrong offset traps and never reads foreign memory.
extension RawSpan {
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "byte offset out of range")
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    @inline(__always)
    func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Number>.size, "byte offset out of range")
        return unsafe Number(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type))
    }

    /// A number of 1, 2 or 4 bytes.
    @inline(__always)
    func number(at offset: Int, width: Int) -> Int {
        switch width {
        case 1: Int(byte(at: offset))
        case 2: Int(bigEndian(at: offset, as: UInt16.self))
        default: Int(bigEndian(at: offset, as: UInt32.self))
        }
    }

    /// Compares as unsigned bytes, a prefix coming first: negative, zero or positive.
    func compareBytes(_ other: RawSpan) -> Int {
        let common = Swift.min(byteCount, other.byteCount)
        var offset = 0
        while offset &+ 8 <= common {
            let left = bigEndian(at: offset, as: UInt64.self)
            let right = other.bigEndian(at: offset, as: UInt64.self)
            if left != right { return left < right ? -1 : 1 }
            offset &+= 8
        }
        while offset < common {
            let left = byte(at: offset)
            let right = other.byte(at: offset)
            if left != right { return left < right ? -1 : 1 }
            offset &+= 1
        }
        return byteCount - other.byteCount
    }

    /// Whether every byte is below 0x80.
    var isASCII: Bool {
        var offset = 0
        while offset &+ 8 <= byteCount {
            if bigEndian(at: offset, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
            offset &+= 8
        }
        while offset < byteCount {
            if byte(at: offset) >= 0x80 { return false }
            offset &+= 1
        }
        return true
    }
}
