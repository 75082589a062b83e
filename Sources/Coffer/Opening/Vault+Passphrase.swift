internal import SecureMemory
package import VaultFile

/// What a change of passphrase or cost did to the ways of opening a vault without the passphrase.
public struct PassphraseChange: Hashable, Sendable {
    /// Recovery slots that were remade for the new key.
    public let remadeSlots: Int
    /// Slots that could not be remade: their recovery codes no longer open the vault.
    public let droppedSlots: Int
    /// Recipients that were struck off because their key cannot be used.
    public let droppedRecipients: Int
}

extension Vault {
    /// Gives the vault a new passphrase, a new salt and so a new key; also to change the cost alone.
    ///
    /// The vault must be unlocked. Copies of the file from before still open with the old passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes; the old one again to change the cost alone.
    ///   - cost: nil keeps the vault's cost; numbers below what a new vault may have are raised to the default's.
    ///   - allowingAnyMemory: whether the cost may ask for more than half of this machine's memory.
    /// - Returns: what became of the recovery slots.
    /// - Throws: `savedButNotSynced` when the new passphrase is in force but a power cut may undo that. All else means
    ///   that the old one is: `locked`; `conflict` when the key was changed elsewhere; `rolledBack`, `forked` or
    ///   `replaced` when the file does not follow what was seen; `refused` for the passphrase's length or
    ///   nesting; `limitExceeded` for the cost; `notEnoughMemory`; `ioError`; what reading the file throws.
    @discardableResult
    public func changePassphrase(
        to passphrase: borrowing Secret, cost: KeyDerivationCost? = nil, allowingAnyMemory: Bool = false
    ) throws(VaultError) -> PassphraseChange {
        let current = try lease().key.keyDerivation
        let derivation = (cost ?? KeyDerivationCost(raising: current)).withNewSalt()
        try translating(try path()) { () throws(VaultFileError) in try derivation.checkWritable() }
        return try changePassphrase(to: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory)
    }

    /// Changes to a derivation that only the read limits bind: tests need cheap ones.
    @discardableResult
    package func changePassphrase(
        to passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool = false
    ) throws(VaultError) -> PassphraseChange {
        try refuseNesting()
        let lease = try lease()
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        let available = allowingAnyMemory ? nil : surroundings.availableMemory()
        // The derivation takes long, so nobody is kept waiting for the file meanwhile.
        let newKey = try translating(store.path) { () throws(VaultFileError) in
            try derivation.checkReadable()
            return try passphrase.deriveKey(derivation, available: available)
        }
        return try changingFile { () throws(VaultError) in try saveKey(newKey, lease, store) }
    }

    private func saveKey(
        _ newKey: MasterKey, _ lease: Lease, _ store: VaultStore
    ) throws(VaultError) -> PassphraseChange {
        var change = try Change(of: store, freshness: freshness)
        let base = try change.newest(lease)
        if base !== lease.snapshot { _ = install(base, over: lease) }
        let plaintext = base.plaintext
        let remade = try translating(store.path) { () throws(VaultFileError) in
            try Metadata.remade(
                base.header.slots, metadata: plaintext.metadata, settings: plaintext.settings, key: newKey)
        }
        let next = try translating(store.path) { () throws(VaultFileError) in
            try plaintext.next(metadata: remade.metadata.bytes)
        }
        let slots = remade.slots
        let outcome = PassphraseChange(
            remadeSlots: slots.count, droppedSlots: remade.droppedSlots, droppedRecipients: remade.droppedRecipients)
        let saved = try change.save(next, key: newKey, slots: slots)
        install(saved, key: newKey, since: lease.epoch, changed: [])
        try saved.checkSynced()
        return outcome
    }
}
