internal import SecureMemory

/// The bounds of every list that this module accepts or writes.
///
/// Specified in the file format, *Settings and metadata*.
package enum PropertyListLimits {
    /// The most objects in one list.
    package static let objects = 4_194_304
    /// The most bytes of one list.
    package static let bytes = 1 << 26
    /// The deepest container of the settings, the root being at depth 1.
    package static let settingsDepth = 32
    /// The deepest container of the metadata, which holds settings' values inside entries of its own.
    package static let metadataDepth = 34
    /// The least list: header, one object, one table entry, trailer.
    package static let leastBytes = 8 + 1 + 1 + 32

    /// Checks what is seen of a list from outside: its first bytes and its size. Strict and lenient reading agree here.
    ///
    /// - Throws: `notAPropertyList`, `truncated` or `tooLarge`.
    static func checkOutside(of list: RawSpan) throws(PropertyListError) {
        guard list.byteCount >= 8, list.bigEndian(at: 0, as: UInt64.self) == Marker.header else {
            throw PropertyListError(.notAPropertyList)
        }
        guard list.byteCount >= leastBytes else { throw PropertyListError(.truncated, at: list.byteCount) }
        guard list.byteCount <= bytes else { throw PropertyListError(.tooLarge) }
    }
}
