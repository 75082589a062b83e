internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// A vault that is about to be made.
///
/// What can be refused without work is refused when this value is made; then the first settings are asked for, then
/// the passphrase costs its half second, and only then is anything made on the disk.
struct Creation: Sendable {
    private let store: VaultStore
    private let makesDirectories: Bool
    private let passphrase: Passphrase
    private let derivation: KeyDerivation
    private let available: UInt64?
    private let freshness: Freshness
    /// The present, in milliseconds since 1970.
    private let now: Int64
    /// What the vault grows from: no settings, and a generation that is never saved.
    private let beforeFirst: VaultPlaintext

    /// Checks all that can be checked beforehand.
    ///
    /// - Throws: `alreadyExists`; `refused` for the passphrase; `limitExceeded`; `notEnoughMemory`; `ioError`.
    init(
        of vault: Vault, passphrase: borrowing Secret, derivation: KeyDerivation, allowingAnyMemory: Bool
    ) throws(VaultError) {
        let store = try vault.store()
        let passphrase = try Passphrase(passphrase)
        // Spares all work where the answer is known; the creation itself looks again, under the lock.
        guard try !vault.exists() else { throw .alreadyExists(path: store.path) }
        let available = allowingAnyMemory ? nil : vault.surroundings.availableMemory()
        beforeFirst = try translating(store.path) { () throws(VaultFileError) in
            try derivation.checkReadable()
            try passphrase.check()
            if let available { try derivation.checkAffordable(available: available) }
            return try VaultPlaintext.beforeFirst()
        }
        (self.store, self.passphrase, self.derivation, self.available) = (store, passphrase, derivation, available)
        freshness = vault.freshness
        now = vault.surroundings.wallClock()
        makesDirectories = vault.location.isInUserData
    }

    /// The first generation of a vault without settings.
    func contents() throws(VaultError) -> VaultPlaintext {
        let draft = try Draft(of: beforeFirst)
        return try draft.composed(path: store.path, at: now)
    }

    /// The first generation, with the settings that a closure sets.
    ///
    /// - Throws: what the closure throws, and what it set wrongly.
    func contents(of vault: Vault, _ initial: (inout Draft) throws -> Void) throws -> VaultPlaintext {
        var draft = try Draft(of: beforeFirst)
        try vault.asUpdater { try initial(&draft) }
        // A child forked in the closure holds zeros, and a draft swapped with another vault's is not of this file.
        guard !beforeFirst.isForeign else { throw VaultError.locked }
        guard draft.base === beforeFirst else { throw VaultError.refused(reason: Draft.isOfAnother) }
        if let failure = draft.failure { throw failure }
        return try draft.composed(path: store.path, at: now)
    }

    /// A vault's file that was made, with its key.
    struct Made: Sendable {
        let key: MasterKey
        let saved: Change.Saved
    }

    /// Derives the key and makes the file.
    ///
    /// - Throws: `alreadyExists` when another was quicker; `notEnoughMemory`; `ioError`.
    func run(_ contents: VaultPlaintext) throws(VaultError) -> Made {
        let key = try translating(store.path) { () throws(VaultFileError) in
            try passphrase.deriveKey(derivation, available: available)
        }
        if makesDirectories {
            try translating(store.path) { () throws(StorageError) in try store.createDirectories() }
        }
        let change = try Change(of: store, .creation, freshness: freshness)
        return Made(key: key, saved: try change.save(contents, key: key, slots: []))
    }
}
