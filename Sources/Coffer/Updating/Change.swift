internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// One change of a vault's file: from its lock to the save.
struct Change: ~Copyable {
    let path: String
    private let freshness: Freshness
    private let isCreation: Bool
    private let transaction: VaultTransaction
    /// The file that the save is to replace, or nil for a new vault.
    private var identity: FileIdentity?

    /// Takes the lock of a vault's file.
    ///
    /// - Throws: `noVault` or, for a creation, `alreadyExists`; `refused`; `ioError`.
    init(
        of store: VaultStore, _ purpose: VaultTransaction.Purpose = .update, freshness: Freshness
    ) throws(VaultError) {
        path = store.path
        isCreation = purpose == .creation
        self.freshness = freshness
        transaction = try translating(store.path) { () throws(StorageError) in try store.begin(purpose) }
    }

    /// The newest content: what is in memory, if the file is still the same, else the file's.
    ///
    /// - Throws: `conflict`, `replaced`, `rolledBack`, `forked`; what reading the file throws.
    mutating func newest(_ lease: Vault.Lease) throws(VaultError) -> Snapshot {
        let expected = freshness.expectation(at: path)
        if let snapshot = lease.snapshot, try isUnchanged(snapshot.header) {
            try expected.check(snapshot)
            return snapshot
        }
        let loaded = try VaultLoading.load(transaction, path: path)
        identity = loaded.file.identity
        let snapshot = try loaded.newerSnapshot(than: lease.seen, with: lease.key)
        try expected.check(snapshot)
        return snapshot
    }

    /// Whether the file still ends in the check of a header; that is all its bytes, unless they rot or are forged.
    private mutating func isUnchanged(_ header: VaultHeader) throws(VaultError) -> Bool {
        let found = try translating(path) { () throws(StorageError) -> FileIdentity? in
            let file = try transaction.open()
            guard file.size == header.fileSize else { return nil }
            let end = try file.readSuffix(VaultHeader.checkLength)
            return end.bytes.equals(header.check.rawSpan) ? file.identity : nil
        }
        identity = found
        return found != nil
    }

    /// What a save made.
    struct Saved: Sendable {
        let snapshot: Snapshot
        let warnings: [VaultWarning]
        /// Set when the new file is in place, but may not survive a power cut.
        let unsynced: VaultError?

        /// - Throws: `savedButNotSynced`.
        func checkSynced() throws(VaultError) {
            if let unsynced { throw unsynced }
        }
    }

    /// Seals a plaintext and puts it in the place of the vault's file.
    ///
    /// - Throws: `limitExceeded`, `notEnoughMemory`, `refused` or `ioError`; the old file then stands.
    borrowing func save(_ plaintext: VaultPlaintext, key: MasterKey, slots: [Slot]) throws(VaultError) -> Saved {
        let file = try translating(path) { () throws(VaultFileError) in
            var random = [UInt8](repeating: 0, count: 32)
            SecureRandom.fill(&random)
            return try SealedVault.seal(plaintext.bytes, key: key, slots: slots, random: random.rawSpan)
        }
        let snapshot = Snapshot(header: file.header, plaintext: plaintext)
        let derivation = Vault.warnings(of: file.header.keyDerivation)
        do throws(StorageError) {
            let report = try transaction.replace(with: file.bytes.bytes, expecting: identity)
            let warnings = derivation + report.warnings.map { VaultWarning($0) } + remember(snapshot)
            return Saved(snapshot: snapshot, warnings: warnings, unsynced: nil)
        } catch {
            guard error.kind == .renamedButNotSynced else { throw VaultError(error, path: path) }
            // Not remembered: after a power cut the old file could stand there, and nobody put it back.
            return Saved(snapshot: snapshot, warnings: derivation, unsynced: VaultError(error, path: path))
        }
    }

    /// Remembers what was saved; a new vault may stand where another one was seen.
    private borrowing func remember(_ snapshot: Snapshot) -> [VaultWarning] {
        let sighting = FreshnessSighting(snapshot)
        guard isCreation else { return freshness.record(sighting, at: path) }
        return freshness.accept(sighting, at: path, against: freshness.read())
    }
}

extension VaultWarning {
    fileprivate init(_ warning: ReplacementReport.Warning) {
        self =
            switch warning {
            case .widerThan0600(let permissions): .readableByOthers(permissions: permissions)
            case .groupNotKept: .groupNotKept
            case .syncedEverything: .syncedEverything
            }
    }
}
