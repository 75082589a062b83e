internal import PropertyLists
internal import SecureMemory
internal import Synchronization
internal import VaultFile

/// A settings store in one sealed file.
///
/// A vault is a cheap handle, to be kept in a `static let`: making one opens nothing and cannot fail. It is locked until
/// it is unlocked or created; while it is unlocked the decrypted settings stand once, in guarded memory. All calls may
/// come from any thread. After a fork without exec, the child finds it locked.
public final class Vault: Sendable {
    /// Where the file is.
    public let location: VaultLocation
    let surroundings: VaultSurroundings
    let freshness: Freshness
    private let state = Mutex(State())
    /// Taken by a read that decrypts the file again, so that many reads at once make one copy.
    private let reload = Mutex(())

    /// Makes a handle for a vault.
    ///
    /// - Parameters:
    ///   - location: where its file is, or will be.
    ///   - freshness: how far back it remembers what it saw, to notice that an old file was put back.
    public convenience init(at location: VaultLocation, freshness: FreshnessPolicy = .thisProcess) {
        self.init(at: location, freshness: freshness, surroundings: VaultSurroundings())
    }

    /// Makes a handle for a vault in other surroundings.
    package init(
        at location: VaultLocation, freshness: FreshnessPolicy = .thisProcess, surroundings: VaultSurroundings
    ) {
        self.location = location
        self.surroundings = surroundings
        self.freshness = Freshness(freshness, surroundings)
    }

    /// What is known of the vault in memory.
    ///
    /// Locked: no key. Unlocked: key and snapshot. Unlocked with the copy dropped: the key alone.
    struct State {
        /// Grows with each lock, so that an unlock or a save that began before it can tell.
        var epoch: UInt64 = 0
        /// Grows with each change of what follows, so that a slow read cannot put back what is older.
        var revision: UInt64 = 0
        var key: MasterKey?
        var snapshot: Snapshot?
        /// The newest generation that was seen since the unlock, also while the copy is dropped.
        var seen: SeenGeneration?
        var warnings: [VaultWarning] = []
        /// The thread that runs the closure of an update.
        var updater: UInt?

        /// Whether a fork wiped the key: then the process that runs never unlocked the vault.
        var isForeign: Bool { key?.isForeign ?? false }
    }

    /// What was replaced in the state, to be wiped outside its lock.
    typealias Replaced = (key: MasterKey?, snapshot: Snapshot?)

    /// Whether the vault is unlocked. Asking changes nothing.
    public var isUnlocked: Bool { state.withLock { $0.key != nil && !$0.isForeign } }

    /// What should be known about the vault's file, as of the last unlock or save.
    public var warnings: [VaultWarning] { state.withLock { $0.isForeign ? [] : $0.warnings } }

    /// How well the decrypted settings are protected, or nil while there are none in memory.
    public var memoryProtection: MemoryProtection? {
        state.withLock { $0.isForeign ? nil : $0.snapshot }?.plaintext.memoryProtection
    }

    /// Locks the vault: new reads are refused at once, and the key is dropped.
    ///
    /// With no read in progress all secrets are zeros when this returns; otherwise they are when the last read ends.
    /// A lock during an unlock wins.
    public func lock() {
        let replaced = state.withLock { state in
            let replaced: Replaced = (state.key, state.snapshot)
            state.epoch += 1
            state.revision += 1
            (state.key, state.snapshot, state.seen) = (nil, nil, nil)
            return replaced
        }
        _ = replaced
    }

    /// Drops the decrypted settings and keeps the key: the next read decrypts the file again.
    package func dropCopy() {
        let replaced = state.withLock { state in
            let replaced = state.snapshot
            state.revision += 1
            state.snapshot = nil
            return replaced
        }
        _ = replaced
    }

    // MARK: For the verbs, each in a file of its own

    /// The path of the file.
    ///
    /// - Throws: `ioError` when a location in the user's directories has no home; `refused` when it is named by a path.
    public func path() throws(VaultError) -> String { try location.path() }

    func store() throws(VaultError) -> VaultStore {
        VaultStore(path: try location.path(), system: surroundings.system)
    }

    /// Where the state stands before an unlock.
    var standing: (epoch: UInt64, revision: UInt64) { state.withLock { ($0.epoch, $0.revision) } }

    /// What a call works with, and keeps from being wiped, from its beginning to its end.
    struct Lease: Sendable {
        let epoch: UInt64
        let revision: UInt64
        let key: MasterKey
        let snapshot: Snapshot?
        let seen: SeenGeneration?

        /// Refuses to go on in a child that was forked meanwhile.
        ///
        /// - Throws: `locked`.
        func checkProcess() throws(VaultError) {
            if key.isForeign { throw .locked }
        }
    }

    /// The key and what is decrypted, if it is.
    ///
    /// - Throws: `locked`.
    func lease() throws(VaultError) -> Lease {
        let lease = state.withLock { state -> Lease? in
            guard let key = state.key, !key.isForeign else { return nil }
            return Lease(
                epoch: state.epoch, revision: state.revision, key: key, snapshot: state.snapshot, seen: state.seen)
        }
        guard let lease else { throw .locked }
        return lease
    }

    /// Lets one read at a time decrypt the file again.
    func reloading(_ body: () throws(VaultError) -> Snapshot) throws(VaultError) -> Snapshot {
        try reload.withLock { (_) throws(VaultError) in try body() }
    }

    /// Installs what was read, unless anything was installed or locked meanwhile.
    ///
    /// - Returns: whether it was installed.
    func install(
        _ key: MasterKey, _ snapshot: Snapshot, ifStill revision: UInt64, warnings: [VaultWarning]
    ) -> Bool {
        let (installed, replaced) = state.withLock { state -> (Bool, Replaced) in
            guard state.revision == revision else { return (false, (nil, nil)) }
            return (true, state.install(key, snapshot, warnings))
        }
        _ = replaced
        return installed
    }

    /// Installs what an unlock found. If a save ended meanwhile, and what was found is older, the key alone counts.
    ///
    /// - Returns: false when the vault was locked meanwhile.
    func install(_ opened: Opened, since standing: (epoch: UInt64, revision: UInt64)) -> Bool {
        let (isUnlocked, replaced) = state.withLock { state -> (Bool, Replaced) in
            guard state.epoch == standing.epoch else { return (false, (nil, nil)) }
            let found = SeenGeneration(opened.snapshot)
            if state.revision != standing.revision, let seen = state.seen, !state.isForeign,
                seen.vaultID == found.vaultID, seen.generation >= found.generation
            {
                // Without a snapshot, the next read decrypts the file as it is now.
                if state.key == nil { (state.key, state.warnings) = (opened.key, opened.warnings) }
                return (true, (nil, nil))
            }
            return (true, state.install(opened.key, opened.snapshot, opened.warnings))
        }
        _ = replaced
        return isUnlocked
    }

    /// Installs what a save made. Saves are in order, because each holds the file's lock until this has returned.
    ///
    /// If the vault was locked meanwhile, nothing is kept but the generation; and an unlock since then may have read the
    /// file before the save, so what that decrypted is dropped.
    func install(_ saved: Change.Saved, key: MasterKey, since epoch: UInt64) {
        let replaced = state.withLock { state -> Replaced in
            guard state.epoch == epoch else {
                let stale = state.snapshot
                state.revision += 1
                state.snapshot = nil
                state.seen = SeenGeneration(saved.snapshot)
                return (nil, stale)
            }
            return state.install(key, saved.snapshot, saved.warnings)
        }
        _ = replaced
    }

    // MARK: Nesting

    /// Runs the closure of an update, in which another change from the same thread is refused.
    ///
    /// It could only wait for itself: the file's lock is held meanwhile.
    func asUpdater<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let thread = CurrentThread.number
        state.withLock { $0.updater = thread }
        defer {
            state.withLock { if $0.updater == thread { $0.updater = nil } }
        }
        return try body()
    }

    /// Refuses a change inside the closure of an update.
    ///
    /// - Throws: `refused`.
    func refuseNesting() throws(VaultError) {
        guard state.withLock({ $0.updater }) != CurrentThread.number else {
            throw .refused(reason: "a change cannot begin inside the closure of an update of the same vault")
        }
    }
}

extension Vault.State {
    /// Replaces all that is known of the vault, and gives back what that was.
    fileprivate mutating func install(
        _ key: MasterKey, _ snapshot: Snapshot, _ warnings: [VaultWarning]
    ) -> Vault.Replaced {
        let replaced: Vault.Replaced = (self.key, self.snapshot)
        revision += 1
        self.key = key
        self.snapshot = snapshot
        self.warnings = warnings
        seen = SeenGeneration(snapshot)
        return replaced
    }
}
