/// One field of a file as it stands there, whether the format allows it or not.
///
/// Specified in the file format, *Bytes* and *Slots*.
package struct HeaderField: Equatable, Sendable {
    /// What stands there; all of it is public.
    package enum Value: Equatable, Sendable {
        case number(UInt64)
        case bytes([UInt8])
        /// The box: its MAC, in front of the ciphertext.
        case sealed(mac: [UInt8])
        /// Bytes that belong to no field that this program knows; they are not looked at.
        case unread
    }

    /// The name as in the format; those of a slot begin with its number.
    package let name: String
    /// Where it starts in the file.
    package let offset: Int
    /// The number of bytes that are there.
    package let width: Int
    package let value: Value
    /// Which rule it breaks; nil where it breaks none that can be told without a passphrase.
    package internal(set) var fault: String?
}

/// One slot as anybody sees it.
package struct SlotSummary: Equatable, Sendable {
    /// Where it starts in the file.
    package let offset: Int
    package let type: UInt16
    /// The number of bytes of its data.
    package let length: Int
    /// Of a recipient's slot: the 16 bytes of its owner that a recovery code pins.
    package let ownerFingerprint: [UInt8]?
}
