internal import CSodium

extension RawSpan {
    /// The byte at an offset; an offset outside the span traps.
    @inlinable
    package subscript(_ offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: checked(offset), as: UInt8.self) }

    @inlinable
    package func checked(_ offset: Int) -> Int {
        precondition(offset >= 0 && offset < byteCount, "byte offset out of range")
        return offset
    }

    /// Compares all bytes, in a time that depends on the lengths alone.
    ///
    /// The corresponding C function is `sodium_memcmp`.
    package func equalsInConstantTime(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                unsafe left.count == 0 || sodium_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }

    /// Compares all bytes, as fast as can be: for what is not secret.
    package func equals(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
        }
    }
}

extension [UInt8] {
    /// The bytes of an array that holds nothing secret, for the calls that take spans.
    package var rawSpan: RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe span.bytes }
    }
}
