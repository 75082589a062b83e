/// What the keys of the root must be.
///
/// Specified in the file format, *Settings and metadata*.
package enum NameRule: Sendable, Hashable {
    /// Any strings, as in metadata and in nested dictionaries.
    case any
    /// Setting names: 1 to 1,024 bytes of UTF-8 without control characters.
    case settings

    /// The most bytes of a setting name in UTF-8.
    package static let longestName = 1_024

    /// Whether a well-formed text is a name by this rule.
    package func allows(_ text: PropertyListText) -> Bool {
        guard self == .settings else { return true }
        // Bounds the walk over the text before it starts.
        guard (1...2 * Self.longestName).contains(text.bytes.byteCount) else { return false }
        switch text.encoding {
        case .ascii:
            return text.bytes.byteCount <= Self.longestName && !Self.hasControls(ascii: text.bytes)
        case .utf16:
            for index in 0..<text.unitCount where Self.isControl(text.unit(index)) { return false }
            return text.utf8Count <= Self.longestName
        }
    }

    /// Whether well-formed UTF-8 is a setting name.
    ///
    /// - Parameter name: the bytes; what is not UTF-8 is no name.
    /// - Returns: whether the format allows it as a key of the settings.
    package static func isSettingName(utf8 name: RawSpan) -> Bool {
        guard (1...longestName).contains(name.byteCount) else { return false }
        var text = UTF8Text(name)
        while let scalar = text.next() {
            if scalar < 0x20 || (0x7F...0x9F).contains(scalar) { return false }
        }
        return !text.isMalformed
    }

    @inline(__always)
    private static func isControl(_ unit: UInt16) -> Bool { unit < 0x20 || (0x7F...0x9F).contains(unit) }

    private static func hasControls(ascii: RawSpan) -> Bool {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = 0
        while offset &+ 8 <= ascii.byteCount {
            // Borrows and carries can only set a wrong bit above a byte that is a control itself.
            let word = ascii.bigEndian(at: offset, as: UInt64.self)
            if ((word &- ones &* 0x20) | (word &+ ones)) & high != 0 { return true }
            offset &+= 8
        }
        while offset < ascii.byteCount {
            if isControl(UInt16(ascii.byte(at: offset))) { return true }
            offset &+= 1
        }
        return false
    }
}
