/// The type half of an object's first byte.
enum Marker {
    static let falsehood: UInt8 = 0x08
    static let truth: UInt8 = 0x09
    static let integer: UInt8 = 0x10
    static let real: UInt8 = 0x23
    static let date: UInt8 = 0x33
    static let data: UInt8 = 0x40
    static let ascii: UInt8 = 0x50
    static let utf16: UInt8 = 0x60
    static let array: UInt8 = 0xA0
    static let dictionary: UInt8 = 0xD0

    /// The one bit pattern of a real that is not a number.
    static let canonicalNaN: UInt64 = 0x7FF8_0000_0000_0000

    /// The eight bytes that every list starts with, as a big-endian number.
    static let header: UInt64 = 0x6270_6C69_7374_3030
}

/// The least of 1, 2 and 4 bytes that holds a number below 2³².
@inline(__always)
func leastWidth(for number: Int) -> Int { number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : 4 }

/// The bytes of an object before its payload: the marker and, from 15 on, the count as an integer object.
@inline(__always)
func headLength(count: Int) -> Int { count < 15 ? 1 : 2 + leastWidth(for: count) }

/// The bytes of an integer: all that are negative, or have more than 32 bits, have eight.
@inline(__always)
func integerWidth(of number: Int64) -> Int { number >= 0 && number < 1 << 32 ? leastWidth(for: Int(number)) : 8 }
