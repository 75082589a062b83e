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
}
