internal import SecureMemory

extension PropertyListBuilder {
    /// Adds a boolean.
    ///
    /// - Throws: as every leaf: `malformed` where no value may stand; `tooLarge`; `outOfMemory`.
    package mutating func boolean(_ value: Bool) throws(PropertyListError) {
        let start = try beginLeaf(1)
        try append(value ? Marker.truth : Marker.falsehood)
        try endLeaf(start)
    }

    /// Adds an integer, in the least width that holds it.
    package mutating func integer(_ value: Int64) throws(PropertyListError) {
        let width = integerWidth(of: value)
        let start = try beginLeaf(1 + width)
        try append(Marker.integer | UInt8(width.trailingZeroBitCount))
        try append(UInt64(bitPattern: value), width: width)
        try endLeaf(start)
    }

    /// Adds a real; every NaN becomes the canonical one.
    package mutating func real(_ value: Double) throws(PropertyListError) {
        let start = try beginLeaf(9)
        try append(Marker.real)
        try append(value.isNaN ? Marker.canonicalNaN : value.bitPattern, width: 8)
        try endLeaf(start)
    }

    /// Adds a date.
    ///
    /// - Parameter seconds: since 2001-01-01T00:00:00Z.
    /// - Throws: also `malformed` when it is not finite.
    package mutating func date(_ seconds: Double) throws(PropertyListError) {
        guard seconds.isFinite else { throw PropertyListError(.malformed) }
        let start = try beginLeaf(9)
        try append(Marker.date)
        try append(seconds.bitPattern, width: 8)
        try endLeaf(start)
    }

    /// Adds bytes.
    package mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
        let start = try beginLeaf(headLength(count: bytes.byteCount) + bytes.byteCount)
        try appendHead(Marker.data, count: bytes.byteCount)
        try append(bytes)
        try endLeaf(start)
    }

    /// Adds a string.
    ///
    /// - Parameter utf8: any text.
    /// - Throws: also `malformed` for what is not UTF-8.
    package mutating func string(utf8: RawSpan) throws(PropertyListError) { try endLeaf(encode(utf8: utf8)) }

    /// Adds a string.
    ///
    /// - Parameter utf16BigEndian: any text.
    /// - Throws: also `malformed` for lone surrogates and an odd number of bytes.
    package mutating func string(utf16BigEndian: RawSpan) throws(PropertyListError) {
        try endLeaf(encode(utf16BigEndian: utf16BigEndian))
    }

    /// Adds an object that is already in its canonical form and holds no references.
    mutating func leaf(encoded: RawSpan) throws(PropertyListError) {
        let start = try beginLeaf(encoded.byteCount)
        try append(encoded)
        try endLeaf(start)
    }

    /// Names the next value with a string that is already in its canonical form.
    mutating func key(encoded: RawSpan) throws(PropertyListError) {
        let start = try beginLeaf(encoded.byteCount)
        try append(encoded)
        try endKey(start)
    }

    /// Appends a string's object and says where it starts.
    mutating func encode(utf8: RawSpan) throws(PropertyListError) -> Int {
        let string = try EncodedString(utf8: utf8)
        let start = try beginLeaf(string.byteCount)
        try appendHead(string.marker, count: string.unitCount)
        if string.isASCII {
            try append(utf8)
            return start
        }
        var text = UTF8Text(utf8)
        while let scalar = text.next() {
            let (first, second) = utf16Units(of: scalar)
            try append(UInt64(first), width: 2)
            if let second { try append(UInt64(second), width: 2) }
        }
        return start
    }

    /// Appends a string's object and says where it starts.
    mutating func encode(utf16BigEndian bytes: RawSpan) throws(PropertyListError) -> Int {
        guard bytes.byteCount % 2 == 0 else { throw PropertyListError(.malformed) }
        let text = PropertyListText(bytes: bytes, encoding: .utf16)
        if try text.holdsMoreThanASCII(at: 0) {
            let start = try beginLeaf(headLength(count: text.unitCount) + bytes.byteCount)
            try appendHead(Marker.utf16, count: text.unitCount)
            try append(bytes)
            return start
        }
        let start = try beginLeaf(headLength(count: text.unitCount) + text.unitCount)
        try appendHead(Marker.ascii, count: text.unitCount)
        for index in 0..<text.unitCount { try append(UInt8(truncatingIfNeeded: text.unit(index))) }
        return start
    }

    private mutating func appendHead(_ marker: UInt8, count: Int) throws(PropertyListError) {
        guard count >= 15 else { return try append(marker | UInt8(truncatingIfNeeded: count)) }
        let width = leastWidth(for: count)
        try append(marker | 0x0F)
        try append(Marker.integer | UInt8(width.trailingZeroBitCount))
        try append(UInt64(count), width: width)
    }

    private mutating func append(_ number: UInt64, width: Int) throws(PropertyListError) {
        for index in 1...width { try append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - index)))) }
    }

    private mutating func append(_ byte: UInt8) throws(PropertyListError) {
        do throws(SecureMemoryError) { try leaves.append(byte) } catch { throw PropertyListError(.outOfMemory) }
    }

    private mutating func append(_ bytes: RawSpan) throws(PropertyListError) {
        do throws(SecureMemoryError) { try leaves.append(bytes) } catch { throw PropertyListError(.outOfMemory) }
    }
}
