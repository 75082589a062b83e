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
    ///   - cost: nil keeps the vault's cost, raised to the default if it is weaker than a new vault may be.
    /// - Returns: what became of the recovery slots.
    /// - Throws: `locked`; `conflict` when the key was changed elsewhere; `refused` for the passphrase's length;
    ///   `limitExceeded` for the cost; `notEnoughMemory`; `ioError`; what reading the file throws.
    @discardableResult
    public func changePassphrase(
        to passphrase: borrowing Secret, cost: KeyDerivationCost? = nil
    ) throws(VaultError) -> PassphraseChange {
        let current = try lease().key.keyDerivation
        let cost = cost ?? (current.isWeak ? .moderate : KeyDerivationCost(current))
        let derivation = cost.withNewSalt()
        try translating(try path()) { () throws(VaultFileError) in try derivation.checkWritable() }
        return try changePassphrase(to: passphrase, derivation: derivation)
    }

    /// Changes to a derivation that only the read limits bind: tests need cheap ones.
    @discardableResult
    package func changePassphrase(
        to passphrase: borrowing Secret, derivation: KeyDerivation
    ) throws(VaultError) -> PassphraseChange {
        try refuseNesting()
        let lease = try lease()
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        // The derivation takes long, so nobody is kept waiting for the file meanwhile.
        let newKey = try translating(store.path) { () throws(VaultFileError) in
            try derivation.checkReadable()
            return try passphrase.deriveKey(derivation, available: availableMemory())
        }
        var change = try Change(of: store)
        let base = try change.newest(lease)
        let plaintext = base.plaintext
        let remade = try translating(store.path) { () throws(VaultFileError) in
            try Metadata.remade(base.header.slots, metadata: plaintext.metadata, key: newKey)
        }
        let next = try translating(store.path) { () throws(VaultFileError) in
            try plaintext.next(changes: [], values: RawSpan(), metadata: remade.metadata.bytes)
        }
        let slots = remade.slots
        let outcome = PassphraseChange(
            remadeSlots: slots.count, droppedSlots: remade.droppedSlots, droppedRecipients: remade.droppedRecipients)
        let saved = try change.save(next, key: newKey, slots: slots)
        try finish(saved, key: newKey, since: lease.epoch)
        return outcome
    }
}
