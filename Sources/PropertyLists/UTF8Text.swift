/// Walks UTF-8 by code points and stops at the first byte that is not well formed.
///
/// Overlong forms, surrogates and numbers above U+10FFFF are not well formed.
struct UTF8Text: ~Escapable {
    private let bytes: RawSpan
    /// The number of bytes read; where the bad one stands when the text is malformed.
    private(set) var offset = 0
    private(set) var isMalformed = false

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// The next code point; nil at the end and at a malformed byte.
    @inline(__always)
    mutating func next() -> UInt32? {
        guard offset < bytes.byteCount, !isMalformed else { return nil }
        let first = UInt32(bytes.byte(at: offset))
        if first < 0x80 {
            offset &+= 1
            return first
        }
        return nextLong(first)
    }

    private mutating func nextLong(_ first: UInt32) -> UInt32? {
        let length: Int
        let least: UInt32
        var scalar: UInt32
        switch first {
        case 0xC2...0xDF: (length, least, scalar) = (2, 0x80, first & 0x1F)
        case 0xE0...0xEF: (length, least, scalar) = (3, 0x800, first & 0x0F)
        case 0xF0...0xF4: (length, least, scalar) = (4, 0x1_0000, first & 0x07)
        default: return malformed()
        }
        guard length <= bytes.byteCount - offset else { return malformed() }
        for index in 1..<length {
            let next = UInt32(bytes.byte(at: offset &+ index))
            guard next & 0xC0 == 0x80 else { return malformed() }
            scalar = scalar << 6 | next & 0x3F
        }
        guard scalar >= least, scalar <= 0x10_FFFF, !(0xD800...0xDFFF).contains(scalar) else { return malformed() }
        offset &+= length
        return scalar
    }

    private mutating func malformed() -> UInt32? {
        isMalformed = true
        return nil
    }
}
