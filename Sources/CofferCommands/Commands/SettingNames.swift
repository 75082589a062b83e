internal import PropertyLists
internal import SecureMemory

/// Names of settings, as they come from the command line.
enum SettingNames {
    /// Refuses what the format does not allow as a name, before a passphrase is asked for.
    static func check(_ name: String) throws(Failure) {
        let utf8 = Array(name.utf8)
        guard NameRule.isSettingName(utf8: unsafe utf8.span.bytes) else {
            throw .usage("a name has 1 to 1,024 bytes and no control characters")
        }
    }

    /// A name in composed form, as names that were written by this program are.
    static func composed(_ name: String) throws(Failure) -> String {
        let utf8 = Array(name.utf8)
        let composed = try guarded { () throws(SecureMemoryError) in try Normalization.nfc(unsafe utf8.span.bytes) }
        let bytes = (0..<composed.count).map { composed.bytes[$0] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
