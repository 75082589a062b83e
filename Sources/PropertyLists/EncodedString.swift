/// A string in UTF-8 with the size that it has in a list.
struct EncodedString: ~Escapable {
    let utf8: RawSpan
    let isASCII: Bool
    /// The characters of ASCII, or the units of UTF-16.
    let unitCount: Int
    private let malformedOffset: Int?

    var marker: UInt8 { isASCII ? Marker.ascii : Marker.utf16 }

    /// The bytes of the whole object.
    var byteCount: Int { headLength(count: unitCount) + (isASCII ? unitCount : 2 * unitCount) }

    /// Checks and measures a string.
    ///
    /// - Parameter utf8: any bytes.
    /// - Throws: `malformed` for what is not UTF-8.
    @_lifetime(copy utf8)
    init(utf8: RawSpan) throws(PropertyListError) {
        self.init(wellFormed: utf8)
        if let malformedOffset { throw PropertyListError(.malformed, at: malformedOffset) }
    }

    /// Measures a string that has been checked before.
    @_lifetime(copy utf8)
    init(wellFormed utf8: RawSpan) {
        self.utf8 = utf8
        isASCII = utf8.isASCII
        var text = UTF8Text(utf8)
        var units = 0
        if isASCII {
            units = utf8.byteCount
        } else {
            while let scalar = text.next() { units &+= scalar < 0x1_0000 ? 1 : 2 }
        }
        unitCount = units
        malformedOffset = text.isMalformed ? text.offset : nil
    }
}

/// The UTF-16 units of one code point; the second is nil below U+10000.
@inline(__always)
func utf16Units(of scalar: UInt32) -> (UInt16, UInt16?) {
    guard scalar >= 0x1_0000 else { return (UInt16(truncatingIfNeeded: scalar), nil) }
    let offset = scalar &- 0x1_0000
    return (UInt16(truncatingIfNeeded: 0xD800 | offset >> 10), UInt16(truncatingIfNeeded: 0xDC00 | offset & 0x3FF))
}

extension ListWriter {
    /// Writes a string as one object.
    mutating func string(_ string: EncodedString) {
        beginObject()
        head(string.marker, count: string.unitCount)
        if string.isASCII { return copy(string.utf8) }
        var text = UTF8Text(string.utf8)
        while let scalar = text.next() {
            let (first, second) = utf16Units(of: scalar)
            unit(first)
            if let second { unit(second) }
        }
    }
}
