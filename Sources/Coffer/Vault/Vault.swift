internal import PropertyLists
internal import SecureMemory
internal import VaultFile

/// A settings store in one sealed file.
///
/// A vault is a cheap handle, to be kept in a `static let`: making one opens nothing and cannot fail. It is locked until
/// it is unlocked or created; while it is unlocked the decrypted settings stand once, in guarded memory. All calls may
/// come from any thread. After a fork without exec, the child finds it locked.
public final class Vault: Sendable {
    /// Where the file is.
    public let location: VaultLocation
    /// When the vault locks itself.
    public let autoLock: AutoLock
    let surroundings: VaultSurroundings
    let freshness: Freshness
    /// What a fork leaves behind: a child has its own, of a vault that was never unlocked.
    private let core = PerProcess { Core() }

    private final class Core: Sendable {
        let state = PlainMutex(VaultState())
        /// Taken by a read that decrypts the file again, so that many reads at once make one copy.
        let reload = PlainMutex(())
        let hub = EventHub()
    }

    /// Those who observe the vault.
    var hub: EventHub { core.object.hub }

    /// Makes a handle for a vault.
    ///
    /// - Parameters:
    ///   - location: where its file is, or will be.
    ///   - autoLock: when the vault locks itself; never unless told.
    ///   - freshness: how far back it remembers what it saw, to notice that an old file was put back.
    public convenience init(
        at location: VaultLocation, autoLock: AutoLock = .never, freshness: FreshnessPolicy = .thisProcess
    ) {
        self.init(at: location, autoLock: autoLock, freshness: freshness, surroundings: VaultSurroundings())
    }

    /// Makes a handle for a vault in other surroundings.
    package init(
        at location: VaultLocation, autoLock: AutoLock = .never, freshness: FreshnessPolicy = .thisProcess,
        surroundings: VaultSurroundings
    ) {
        self.location = location
        self.autoLock = autoLock
        self.surroundings = surroundings
        self.freshness = Freshness(freshness, surroundings)
    }

    /// Whether the vault is unlocked. Asking extends no deadline.
    public var isUnlocked: Bool { lockState != .locked }

    /// What the vault holds in memory. Asking extends no deadline.
    public var lockState: LockState {
        let now = surroundings.clock.now
        return withState { $0.lockState(at: now) }
    }

    /// What should be known about the vault's file and this handle, as of the last unlock or save.
    public var warnings: [VaultWarning] { withState { $0.warnings } }

    /// How well the decrypted settings are protected, or nil while there are none in memory.
    public var memoryProtection: MemoryProtection? {
        let now = surroundings.clock.now
        return withState { $0.held(at: now)?.snapshot }?.plaintext.memoryProtection
    }

    /// Locks the vault: new reads are refused at once, and the key is dropped.
    ///
    /// With no call in progress all secrets are zeros when this returns; otherwise they are when the last call ends that
    /// read, saved or unlocked, or the library's own look at a file that another process saved. A lock during an
    /// unlock wins.
    public func lock() { change { $0.lock() } }

    /// Drops the decrypted settings and keeps the key: the next read decrypts the file again.
    ///
    /// This is what memory pressure leads to. The settings are zeros when this returns, unless something is in progress
    /// as said at ``lock()``.
    public func dropCopy() { change { $0.dropCopy() } }

    /// Locks the vault if a deadline has passed.
    ///
    /// - Returns: the next deadline.
    func lockIfOverdue(at now: Int64) -> Int64? {
        change { $0.isOverdue(at: now) ? $0.expire() : [] }
        return withState { $0.nextDeadline }
    }

    /// The path of the file.
    ///
    /// - Throws: `ioError` when a location in the user's directories has no home; `refused` when it is named by a path.
    public func path() throws(VaultError) -> String { try location.path() }

    func store() throws(VaultError) -> VaultStore {
        VaultStore(
            path: try location.path(), system: surroundings.system, lockTimeout: surroundings.fileLockTimeout)
    }

    // MARK: Changes of the state

    /// Changes the state, tells the observers, and wipes what was replaced before it returns.
    private func change(_ body: (inout VaultState) -> VaultState.Replaced) {
        withChange { (body(&$0), [], ()) }
    }

    /// Changes the state and says what came of it.
    ///
    /// - Parameter body: returns what was replaced, what observers are to know beside the lock state, and a result.
    func withChange<Result: Sendable>(
        _ body: (inout VaultState) -> (VaultState.Replaced, [VaultEvent], Result)
    ) -> Result {
        let core = core.object
        let (replaced, result) = core.state.withLock { state -> (VaultState.Replaced, Result) in
            let before = state.rawLockState
            let (replaced, events, result) = body(&state)
            for event in events { core.hub.add(event) }
            if state.rawLockState != before { core.hub.add(.lockState(state.rawLockState)) }
            return (replaced, result)
        }
        // Here, outside the lock, the last holder lets go.
        _ = consume replaced
        core.hub.deliver()
        return result
    }

    /// Looks at the state, or changes what nobody observes.
    func withState<Result: Sendable>(_ body: (inout VaultState) -> Result) -> Result {
        core.object.state.withLock { body(&$0) }
    }

    /// Lets one read at a time decrypt the file again.
    func reloading(_ body: () throws(VaultError) -> Snapshot) throws(VaultError) -> Snapshot {
        try core.object.reload.withLock { (_) throws(VaultError) in try body() }
    }
}
