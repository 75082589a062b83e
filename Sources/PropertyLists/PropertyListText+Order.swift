// The order of keys: by code point, which is the order of their UTF-8 bytes. The order of UTF-16 units differs
// above U+FFFF, where surrogates stand for larger numbers than the units from U+E000 on.
extension PropertyListText {
    /// Compares by code point: negative, zero or positive.
    ///
    /// Specified in the file format, *Settings and metadata*.
    func compare(_ other: PropertyListText) -> Int {
        switch (encoding, other.encoding) {
        case (.ascii, .ascii): bytes.compareBytes(other.bytes)
        case (.utf16, .utf16): compareUnits(other)
        case (.utf16, .ascii): compareASCII(other.bytes)
        case (.ascii, .utf16): -other.compareASCII(bytes)
        }
    }

    /// Compares with a name in UTF-8: negative, zero or positive.
    ///
    /// - Parameter name: any bytes; what is not UTF-8 is equal to no text.
    func compare(utf8 name: RawSpan) -> Int {
        guard encoding == .utf16 else { return bytes.compareBytes(name) }
        var index = 0
        var offset = 0
        while index < unitCount {
            var utf8 = UTF8Bytes(of: scalar(at: &index))
            while let byte = utf8.next() {
                guard offset < name.byteCount else { return 1 }
                let other = name.byte(at: offset)
                if byte != other { return byte < other ? -1 : 1 }
                offset &+= 1
            }
        }
        return offset - name.byteCount
    }

    private func compareUnits(_ other: PropertyListText) -> Int {
        let common = min(unitCount, other.unitCount)
        for index in 0..<common {
            let left = unit(index)
            let right = other.unit(index)
            if left != right { return rank(left) < rank(right) ? -1 : 1 }
        }
        return unitCount - other.unitCount
    }

    private func compareASCII(_ ascii: RawSpan) -> Int {
        let common = min(unitCount, ascii.byteCount)
        for index in 0..<common {
            let left = unit(index)
            let right = UInt16(ascii.byte(at: index))
            if left != right { return left < right ? -1 : 1 }
        }
        return unitCount - ascii.byteCount
    }

    /// Moves surrogates above all other units.
    @inline(__always)
    private func rank(_ unit: UInt16) -> UInt16 {
        unit < 0xD800 ? unit : isSurrogate(unit) ? unit &+ 0x2000 : unit &- 0x800
    }
}
