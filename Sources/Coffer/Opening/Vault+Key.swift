package import SecureMemory
internal import VaultFile

// A key that one process derives and another one of the same user holds.
extension Vault {
    /// Derives the key of the file as it is now, and makes sure that the file commits to it. It unlocks nothing.
    ///
    /// Specified in the file format, *Reading order*, steps 1 to 8.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes.
    ///   - allowingAnyMemory: whether the vault may ask for more than half of this machine's memory.
    /// - Returns: the 32 bytes of the key.
    /// - Throws: `noVault`, `notAVault`, `unsupportedVersion`, `unsupportedFeature`, `damaged`, `limitExceeded`,
    ///   `refused`, `notEnoughMemory`, `wrongPassphrase`, `ioError`.
    package func deriveKey(
        _ passphrase: borrowing Secret, allowingAnyMemory: Bool = false
    ) throws(VaultError) -> Secret {
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        let available = allowingAnyMemory ? nil : surroundings.availableMemory()
        let loaded = try VaultLoading.load(store)
        let key = try loaded.key(of: passphrase, available: available)
        let header = loaded.header
        return Secret(
            try translating(store.path) { () throws(VaultFileError) in
                guard try key.matches(header) else { throw .wrongPassphrase }
                return try key.copy()
            })
    }

    /// Unlocks the vault with a key that was derived elsewhere, once the file has proved it.
    ///
    /// - Parameters:
    ///   - key: 32 bytes, of which a copy is kept.
    ///   - acceptingUnexpectedFile: as in `unlock` with a passphrase.
    /// - Throws: `wrongPassphrase` when the file does not commit to the key; `refused` for another length; what `unlock`
    ///   with a passphrase throws; `locked` when ``lock()`` was called meanwhile.
    package func unlock(key: borrowing Secret, acceptingUnexpectedFile: Bool = false) throws(VaultError) {
        let attempt = beginUnlock()
        guard !key.isForeign else { throw .refused(reason: Passphrase.madeBeforeFork) }
        guard key.count == MasterKey.length else { throw .refused(reason: "the key of a vault has 32 bytes") }
        let store = try store()
        let expected = freshness.expectation(at: store.path)
        let loaded = try VaultLoading.load(store)
        let bytes = try key.withBytes { (key) throws(VaultError) in
            try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: key) }
        }
        let master = MasterKey(bytes, keyDerivation: loaded.header.keyDerivation)
        let opened = try Self.open(loaded, with: master, expected, accepting: acceptingUnexpectedFile)
        guard install(opened, since: attempt) else { throw .locked }
    }
}
