internal import SecureMemory
package import VaultFile

extension Vault {
    /// Makes a new vault and leaves it unlocked, unless ``lock()`` was called meanwhile.
    ///
    /// A lost passphrase is final: nobody can open the vault without it. Directories of a location in the user's data
    /// are made as far as they are missing, readable by the user alone.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes; its strength is the caller's to judge.
    ///   - cost: how much work a guess is to be.
    ///   - allowingAnyMemory: whether the cost may ask for more than half of this machine's memory.
    /// - Throws: `alreadyExists`; `refused` for the passphrase's length or nesting; `limitExceeded` for the cost;
    ///   `notEnoughMemory`; `ioError`; `savedButNotSynced` when the vault is made, but a power cut may undo that.
    public func create(
        passphrase: borrowing Secret, cost: KeyDerivationCost = .moderate, allowingAnyMemory: Bool = false
    ) throws(VaultError) {
        let derivation = cost.withNewSalt()
        try translating(try path()) { () throws(VaultFileError) in try derivation.checkWritable() }
        try create(passphrase: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory)
    }

    /// Makes a new vault with a derivation that only the read limits bind: tests need cheap ones.
    package func create(
        passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool = false
    ) throws(VaultError) {
        try refuseNesting()
        let epoch = standing.epoch
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        try refuseExisting(store)
        // The derivation comes before anything is made, so that a refusal leaves nothing behind.
        let available = allowingAnyMemory ? nil : surroundings.availableMemory()
        let (key, plaintext) = try translating(store.path) { () throws(VaultFileError) in
            try derivation.checkReadable()
            let key = try passphrase.deriveKey(derivation, available: available)
            return (key, try VaultPlaintext.beforeFirst().next(changes: [], values: RawSpan(), now: 0))
        }
        if location.isInUserData {
            try translating(store.path) { () throws(StorageError) in try store.createDirectories() }
        }
        let change = try Change(of: store, .creation)
        let saved = try change.save(plaintext, key: key, slots: [])
        install(saved, key: key, since: epoch)
        try saved.checkSynced()
    }

    /// Spares the derivation where the answer is known; the creation itself looks again, under the lock.
    private func refuseExisting(_ store: VaultStore) throws(VaultError) {
        do throws(StorageError) {
            _ = try store.open()
        } catch {
            switch error.kind {
            case .noVault: return
            case .notARegularFile: break
            default: throw VaultError(error, path: store.path)
            }
        }
        throw .alreadyExists(path: store.path)
    }
}
