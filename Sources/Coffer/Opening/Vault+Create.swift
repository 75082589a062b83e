public import SecureMemory
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
        let derivation = try writableDerivation(cost)
        try create(passphrase: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory)
    }

    /// Makes a new vault that holds its first settings from the beginning, and leaves it unlocked.
    ///
    /// The settings are part of the first save: there is never a vault without them. The closure runs when all else that
    /// needs no work is found good, and before the key is derived and anything is made: if it throws, nothing is
    /// left behind. It runs once at most, and what it set is not kept when another process makes the vault meanwhile.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes; its strength is the caller's to judge. A lost one is final.
    ///   - cost: how much work a guess is to be.
    ///   - allowingAnyMemory: whether the cost may ask for more than half of this machine's memory.
    ///   - initial: sets the first settings.
    /// - Throws: what `create` without settings throws; `refused` and `limitExceeded` also for what the closure set; what
    ///   `initial` throws.
    public func create(
        passphrase: borrowing Secret, cost: KeyDerivationCost = .moderate, allowingAnyMemory: Bool = false,
        initial: (inout Draft) throws -> Void
    ) throws {
        let derivation = try writableDerivation(cost)
        try create(
            passphrase: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory, initial: initial)
    }

    /// Makes a new vault with a derivation that only the read limits bind: tests need cheap ones.
    package func create(
        passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool = false
    ) throws(VaultError) {
        try refuseNesting()
        let attempt = beginUnlock()
        let creation = try Creation(
            of: self, passphrase: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory)
        try finish(try creation.run(try creation.contents()), since: attempt)
    }

    /// Makes a new vault with its first settings, and a derivation that only the read limits bind.
    package func create(
        passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool = false,
        initial: (inout Draft) throws -> Void
    ) throws {
        try refuseNesting()
        let attempt = beginUnlock()
        let creation = try Creation(
            of: self, passphrase: passphrase, derivation: derivation, allowingAnyMemory: allowingAnyMemory)
        try finish(try creation.run(try creation.contents(of: self, initial)), since: attempt)
    }

    /// A derivation that the write policy allows, with a new salt.
    ///
    /// - Throws: `limitExceeded`.
    func writableDerivation(_ cost: KeyDerivationCost) throws(VaultError) -> KeyDerivation {
        let derivation = cost.withNewSalt()
        try translating(try path()) { () throws(VaultFileError) in try derivation.checkWritable() }
        return derivation
    }

    /// Takes over a vault that was made, unless it was locked meanwhile.
    ///
    /// - Throws: `savedButNotSynced`.
    func finish(_ made: Creation.Made, since attempt: UnlockAttempt) throws(VaultError) {
        install(created: made.saved, key: made.key, since: attempt)
        try made.saved.checkSynced()
    }
}
