internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// One decrypted generation of a vault. Whoever holds it has a lease: it is wiped when the last lease ends.
final class Snapshot: Sendable {
    let header: VaultHeader
    let plaintext: VaultPlaintext

    init(header: VaultHeader, plaintext: VaultPlaintext) {
        self.header = header
        self.plaintext = plaintext
    }

    /// Lends a reader of the settings.
    func withSettings<Result: ~Copyable, Failure: Error>(
        _ body: (PropertyListReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // A local holder: a span borrows from a variable, not from a property of an object.
        let plaintext = plaintext
        return try body(PropertyListReader(trusted: plaintext.settings))
    }

    /// Lends the value of a setting: its list and its number in the list.
    ///
    /// - Returns: what `body` returns, or nil when there is no setting of exactly this name.
    func withValue<Result: ~Copyable, Failure: Error>(
        of name: SettingName, _ body: (PropertyListReader, Int) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let plaintext = plaintext
        let reader = PropertyListReader(trusted: plaintext.settings)
        guard let found = reader.find(name.utf8.rawSpan) else { return nil }
        return try body(reader, found.value)
    }

    func contains(_ name: SettingName) -> Bool {
        let plaintext = plaintext
        return PropertyListReader(trusted: plaintext.settings).find(name.utf8.rawSpan) != nil
    }
}
