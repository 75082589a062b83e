internal import SecureMemory
package import VaultFile

extension Vault {
    /// Makes a new vault and leaves it unlocked.
    ///
    /// A lost passphrase is final: nobody can open the vault without it. Directories of a location in the user's data
    /// are made as far as they are missing, readable by the user alone.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes; its strength is the caller's to judge.
    ///   - cost: how much work a guess is to be.
    /// - Throws: `alreadyExists`; `refused` for the passphrase's length; `limitExceeded` for the cost;
    ///   `notEnoughMemory`; `ioError`; `locked` when ``lock()`` was called meanwhile.
    public func create(
        passphrase: borrowing Secret, cost: KeyDerivationCost = .moderate
    ) throws(VaultError) {
        let derivation = cost.withNewSalt()
        try translating(try path()) { () throws(VaultFileError) in try derivation.checkWritable() }
        try create(passphrase: passphrase, derivation: derivation)
    }

    /// Makes a new vault with a derivation that only the read limits bind: tests need cheap ones.
    package func create(passphrase: borrowing Secret, derivation: KeyDerivation) throws(VaultError) {
        try refuseNesting()
        let epoch = epoch
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        // What needs no file comes first, so that a refusal leaves nothing behind.
        try translating(store.path) { () throws(VaultFileError) in
            try passphrase.check()
            try derivation.checkReadable()
        }
        if location.isInUserData {
            try translating(store.path) { () throws(StorageError) in try store.createDirectories() }
        }
        let change = try Change(of: store, .creation)
        let (key, plaintext) = try translating(store.path) { () throws(VaultFileError) in
            let key = try passphrase.deriveKey(derivation, available: availableMemory())
            let plaintext = try VaultPlaintext.beforeFirst().next(changes: [], values: RawSpan())
            return (key, plaintext)
        }
        let saved = try change.save(plaintext, key: key, slots: [])
        try finish(saved, key: key, since: epoch)
        if !isUnlocked { throw .locked }
    }
}
