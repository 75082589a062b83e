internal import PropertyLists
internal import SecureMemory

/// A setting's name by its bytes: two spellings of one text that differ in bytes are two names.
///
/// Specified in the file format, *Settings and metadata*.
package struct SettingName: Hashable, Comparable, Sendable {
    /// The bytes.
    package let utf8: [UInt8]

    init(utf8: [UInt8]) { self.utf8 = utf8 }

    /// Takes a name exactly as it is spelled.
    package init(_ name: String) { utf8 = Array(name.utf8) }

    /// Takes a name out of a list.
    init(text: PropertyListText) {
        guard text.encoding == .utf16 else {
            utf8 = (0..<text.bytes.byteCount).map { text.bytes[$0] }
            return
        }
        let units = (0..<text.bytes.byteCount / 2).map {
            UInt16(text.bytes[2 * $0]) << 8 | UInt16(text.bytes[2 * $0 + 1])
        }
        utf8 = Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// The same text in Unicode's composed form, in which new names are written.
    ///
    /// - Throws: `limitExceeded` for a name that no form of could be short enough.
    package func normalized() throws(VaultError) -> SettingName {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        guard utf8.count <= Self.longestText else {
            throw .limitExceeded(field: "name", value: UInt64(utf8.count), bound: UInt64(NameRule.longestName))
        }
        let normal = try translating { () throws(SecureMemoryError) in try Normalization.nfc(utf8.rawSpan) }
        return SettingName(utf8: (0..<normal.count).map { normal.bytes[$0] })
    }

    // Composing shortens text by less than this factor, and takes many times its size.
    private static let longestText = 4 * NameRule.longestName

    /// Checks that the format allows the name.
    ///
    /// - Throws: `limitExceeded` for a name that is too long, `refused` for an empty one or control characters.
    func check() throws(VaultError) {
        guard !utf8.isEmpty else { throw .refused(reason: "a setting needs a name") }
        guard utf8.count <= NameRule.longestName else {
            throw .limitExceeded(field: "name", value: UInt64(utf8.count), bound: UInt64(NameRule.longestName))
        }
        guard NameRule.isSettingName(utf8: utf8.rawSpan) else {
            throw .refused(reason: "a setting's name has no control characters")
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
}
