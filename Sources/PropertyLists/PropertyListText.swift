package import SecureMemory

/// A string where it stands in a list; it never becomes a Swift string.
package struct PropertyListText: ~Escapable {
    /// How the characters are written.
    package enum Encoding: Sendable, Hashable { case ascii, utf16 }

    /// The characters: ASCII, or big-endian UTF-16 without lone surrogates.
    package let bytes: RawSpan
    /// How they are written.
    package let encoding: Encoding

    /// Takes characters that are known to be well formed.
    @_lifetime(copy bytes)
    init(bytes: RawSpan, encoding: Encoding) {
        self.bytes = bytes
        self.encoding = encoding
    }

    /// The number of UTF-16 units.
    @inline(__always)
    var unitCount: Int { bytes.byteCount / 2 }

    @inline(__always)
    func unit(_ index: Int) -> UInt16 { bytes.bigEndian(at: index &* 2, as: UInt16.self) }

    /// The number of bytes that the text has in UTF-8.
    package var utf8Count: Int {
        guard encoding == .utf16 else { return bytes.byteCount }
        var total = 0
        for index in 0..<unitCount {
            let unit = unit(index)
            // Each half of a surrogate pair stands for two of its four bytes.
            total += unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3
        }
        return total
    }

    /// Appends the text in UTF-8.
    ///
    /// - Parameter arena: guarded memory to append to.
    /// - Returns: where the text stands.
    /// - Throws: `outOfMemory`.
    @discardableResult
    package func copyUTF8(into arena: inout GuardedArena) throws(SecureMemoryError) -> Range<Int> {
        guard encoding == .utf16 else { return try arena.append(bytes) }
        let start = arena.count
        try arena.reserve(utf8Count)
        var index = 0
        while index < unitCount {
            var utf8 = UTF8Bytes(of: scalar(at: &index))
            while let byte = utf8.next() { try arena.append(byte) }
        }
        return start..<arena.count
    }

    /// Checks that the surrogates of UTF-16 stand in pairs.
    ///
    /// - Parameter offset: where the text stands, for the error.
    /// - Returns: whether there is a unit that ASCII cannot hold.
    /// - Throws: `malformed` for half of a pair.
    func holdsMoreThanASCII(at offset: Int) throws(PropertyListError) -> Bool {
        var seen: UInt16 = 0
        var index = 0
        while index < unitCount {
            let unit = unit(index)
            seen |= unit
            index &+= 1
            guard isSurrogate(unit) else { continue }
            // A high half first, then a low one.
            guard unit < 0xDC00, index < unitCount, self.unit(index) & 0xFC00 == 0xDC00 else {
                throw PropertyListError(.malformed, at: offset &+ 2 &* index &- 2)
            }
            index &+= 1
        }
        return seen >= 0x80
    }

    /// The code point at a unit, which is moved behind it.
    @inline(__always)
    func scalar(at index: inout Int) -> UInt32 {
        let unit = unit(index)
        index &+= 1
        guard isSurrogate(unit), index < unitCount else { return UInt32(unit) }
        let low = self.unit(index)
        index &+= 1
        return 0x1_0000 &+ (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
    }
}

@inline(__always)
func isSurrogate(_ unit: UInt16) -> Bool { unit & 0xF800 == 0xD800 }

/// The UTF-8 bytes of one code point, first to last.
struct UTF8Bytes {
    // The bytes from the top down, so that taking one is a shift.
    private var remaining: UInt32
    private var count: Int

    @inline(__always)
    init(of scalar: UInt32) {
        let low = scalar & 0x3F | 0x80
        let second = scalar >> 6 & 0x3F | 0x80
        let third = scalar >> 12 & 0x3F | 0x80
        if scalar < 0x80 {
            (remaining, count) = (scalar << 24, 1)
        } else if scalar < 0x800 {
            (remaining, count) = ((scalar >> 6 | 0xC0) << 24 | low << 16, 2)
        } else if scalar < 0x1_0000 {
            (remaining, count) = ((scalar >> 12 | 0xE0) << 24 | second << 16 | low << 8, 3)
        } else {
            (remaining, count) = ((scalar >> 18 | 0xF0) << 24 | third << 16 | second << 8 | low, 4)
        }
    }

    @inline(__always)
    mutating func next() -> UInt8? {
        guard count > 0 else { return nil }
        let byte = UInt8(truncatingIfNeeded: remaining >> 24)
        remaining <<= 8
        count &-= 1
        return byte
    }
}
