internal import PropertyLists
internal import SecureMemory
internal import VaultFile

extension Vault {
    /// Unlocks the vault with its passphrase.
    ///
    /// Text is brought to Unicode's NFC in guarded memory; bytes that are no UTF-8 are taken as they are. This takes as
    /// long as the vault's cost says: half a second by default. Specified in the file format, *Reading order*.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes.
    ///   - allowingAnyMemory: whether a vault may ask for more than half of this machine's memory: the system might
    ///     end the process for it. At most 1 GiB is ever asked for.
    ///   - acceptingUnexpectedFile: whether a file is taken that is older than the newest that is remembered, another
    ///     save of it, or another vault at its path. It is then what is expected from now on. Nothing else is taken so.
    /// - Throws: `noVault`, `notAVault`, `unsupportedVersion`, `unsupportedFeature`, `damaged`, `limitExceeded`,
    ///   `refused`, `notEnoughMemory`, `wrongPassphrase`, `tampered`, `invalidContents`, `ioError`; `replaced`,
    ///   `rolledBack` or `forked` when the file does not follow what is remembered; `locked` when ``lock()`` was called
    ///   meanwhile.
    public func unlock(
        _ passphrase: borrowing Secret, allowingAnyMemory: Bool = false, acceptingUnexpectedFile: Bool = false
    ) throws(VaultError) {
        try unlock(
            passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
            since: beginUnlock())
    }

    /// Unlocks the vault, unless it was locked since an attempt began, of which this is a part.
    func unlock(
        _ passphrase: borrowing Secret, allowingAnyMemory: Bool, acceptingUnexpectedFile: Bool,
        since attempt: UnlockAttempt
    ) throws(VaultError) {
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        let available = allowingAnyMemory ? nil : surroundings.availableMemory()
        let opened = try Self.open(
            store, with: passphrase, available: available, freshness, accepting: acceptingUnexpectedFile)
        guard install(opened, since: attempt) else { throw .locked }
    }

    /// Unlocks the vault with its passphrase, deriving the key on a thread of its own.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes.
    ///   - allowingAnyMemory: as in the other form.
    ///   - acceptingUnexpectedFile: as in the other form.
    /// - Throws: what the other form throws.
    public func unlock(
        _ passphrase: borrowing Secret, allowingAnyMemory: Bool = false, acceptingUnexpectedFile: Bool = false
    ) async throws(VaultError) {
        try await unlock(
            passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: acceptingUnexpectedFile,
            since: beginUnlock())
    }

    /// Unlocks the vault, unless it was locked since an attempt began, deriving the key on a thread of its own.
    func unlock(
        _ passphrase: borrowing Secret, allowingAnyMemory: Bool, acceptingUnexpectedFile: Bool,
        since attempt: UnlockAttempt
    ) async throws(VaultError) {
        let store = try store()
        let passphrase = try Passphrase(passphrase)
        let available = allowingAnyMemory ? nil : surroundings.availableMemory()
        let freshness = freshness
        let result = await DedicatedThread.run {
            Result { () throws(VaultError) in
                try Self.open(
                    store, with: passphrase, available: available, freshness, accepting: acceptingUnexpectedFile)
            }
        }
        guard install(try result.get(), since: attempt) else { throw .locked }
    }

    /// What an unlock found.
    struct Opened: Sendable {
        let key: MasterKey
        let snapshot: Snapshot
        let warnings: [VaultWarning]
    }

    private static func open(
        _ store: VaultStore, with passphrase: Passphrase, available: UInt64?, _ freshness: Freshness, accepting: Bool
    ) throws(VaultError) -> Opened {
        let expected = freshness.expectation(at: store.path)
        let loaded = try VaultLoading.load(store)
        let key = try loaded.key(of: passphrase, available: available)
        return try open(loaded, with: key, expected, accepting: accepting)
    }

    /// Opens a file with a key, if it is what was expected.
    static func open(
        _ loaded: borrowing VaultLoading.LoadedFile, with key: MasterKey, _ expected: Expectation, accepting: Bool
    ) throws(VaultError) -> Opened {
        let snapshot = try loaded.snapshot(with: key)
        let found = try expected.admit(snapshot, accepting: accepting)
        return Opened(key: key, snapshot: snapshot, warnings: warnings(of: key.keyDerivation) + found)
    }

    static func warnings(of derivation: KeyDerivation) -> [VaultWarning] {
        guard derivation.isWeak else { return [] }
        return [.weakKeyDerivation(passes: derivation.passes, memoryKiB: derivation.memoryKiB)]
    }
}
