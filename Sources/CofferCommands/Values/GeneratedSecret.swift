package import SecureMemory

/// Makes passwords of random characters, in guarded memory from the first bit on.
package enum GeneratedSecret {
    /// The number of characters unless told: about 140 bits.
    package static let defaultLength = 24
    /// The longest one.
    package static let longest = 4096

    // Letters and digits that cannot be taken for one another in any typeface: no 0 O 1 l I.
    private static let alphabet: StaticString = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

    /// Draws characters, each of them equally likely.
    ///
    /// - Parameter length: the number of characters.
    package static func make(length: Int) throws(SecureMemoryError) -> GuardedBuffer {
        var result = try GuardedBuffer(count: length)
        let size = alphabet.utf8CodeUnitCount
        var filled = 0
        while filled < length {
            let random = try GuardedBuffer(randomCount: 256)
            for offset in 0..<256 where filled < length {
                // Six bits; those beyond the alphabet are dropped, which keeps the rest even.
                let pick = Int(random.bytes[offset] & 63)
                guard pick < size else { continue }
                result.store(alphabet.withUTF8Buffer { unsafe $0[pick] }, at: filled)
                filled += 1
            }
        }
        return result
    }
}
