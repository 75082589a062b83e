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

    /// The number of a setting's value, or nil when there is no setting of exactly this name.
    func value(of name: SettingName) -> Int? { plaintext.value(of: name) }
}

extension VaultPlaintext {
    /// Lends a reader of the settings.
    func withSettings<Result: ~Copyable, Failure: Error>(
        _ body: (PropertyListReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(PropertyListReader(trusted: settings))
    }

    /// The number of a setting's value, or nil when there is no setting of exactly this name.
    func value(of name: SettingName) -> Int? {
        PropertyListReader(trusted: settings).find(name.utf8.rawSpan)?.value
    }
}
