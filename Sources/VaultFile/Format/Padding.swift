/// How long a plaintext is made, so that its size tells little of what is in it.
package enum Padding {
    /// The padded length: a power of two from 4,096 to 65,536, above that the next step of Padmé.
    ///
    /// Specified in the file format, *Bytes*.
    ///
    /// - Parameter length: 0 or more, below 2^62.
    package static func padded(_ length: Int) -> Int {
        guard length > 65_536 else {
            var size = 4_096
            while size < length { size *= 2 }
            return size
        }
        let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
        let significant = Int.bitWidth - exponent.leadingZeroBitCount
        let step = 1 << (exponent - significant)
        return (length + step - 1) & -step
    }
    /// The lengths that are padded to a length: what its size tells of a plaintext.
    ///
    /// - Parameter padded: the length of a plaintext, above 0 and below 2^62.
    /// - Returns: nil when no length is padded to it.
    package static func lengths(paddedTo padded: Int) -> ClosedRange<Int>? {
        guard Self.padded(padded) == padded else { return nil }
        guard padded > 4_096 else { return 0...padded }
        guard padded > 65_536 else { return padded / 2 + 1...padded }
        // The step below: a length that is a power of two begins wider steps, so it is asked for its predecessor's.
        var step = 1
        while Self.padded(padded - step) == padded { step *= 2 }
        return padded - step + 1...padded
    }
}
