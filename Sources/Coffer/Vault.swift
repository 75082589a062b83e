internal import PropertyLists
internal import SecureMemory
internal import Synchronization
package import VaultFile

/// A settings store in one sealed file.
///
/// A vault is a cheap handle, to be kept in a `static let`: making one opens nothing and cannot fail. It is locked until
/// it is unlocked or created; while it is unlocked the decrypted settings stand once, in guarded memory. All calls may come from any thread. After a fork without exec, the child finds it locked.
public final class Vault: Sendable {
    /// Where the file is.
    public let location: VaultLocation
    private let system: any SystemCalls
    /// How much memory this process could get, in bytes.
    let availableMemory: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// Makes a handle for a vault.
    ///
    /// - Parameter location: where its file is, or will be.
    public convenience init(at location: VaultLocation) {
        self.init(at: location, system: LinuxSystemCalls())
    }

    /// Makes a handle that makes its system calls through a seam.
    package init(
        at location: VaultLocation, system: any SystemCalls,
        availableMemory: @escaping @Sendable () -> UInt64 = { AvailableMemory.bytes() }
    ) {
        self.location = location
        self.system = system
        self.availableMemory = availableMemory
    }

    /// What is known of the vault in memory.
    ///
    /// Locked: no key. Unlocked: key and snapshot. Unlocked with the copy dropped: the key alone.
    struct State {
        /// Grows with each lock, so that an unlock that began before it can tell.
        var epoch: UInt64 = 0
        var key: MasterKey?
        var snapshot: Snapshot?
        /// The newest generation that was seen since the unlock, also while the copy is dropped.
        var seen: SeenGeneration?
        var warnings: [VaultWarning] = []
        /// The thread that runs the closure of an update.
        var updater: UInt?

        /// Forgets what another process left behind in a fork.
        mutating func dropForeign() {
            guard let key, snapshot?.plaintext.isForeign ?? key.isForeign else { return }
            self.key = nil
            snapshot = nil
            seen = nil
            updater = nil
        }
    }

    /// Whether the vault is unlocked. Asking changes nothing.
    public var isUnlocked: Bool {
        state.withLock { state in
            state.dropForeign()
            return state.key != nil
        }
    }

    /// What should be known about the vault's file, as of the last unlock or save.
    public var warnings: [VaultWarning] { state.withLock { $0.warnings } }

    /// How well the decrypted settings are protected, or nil while there are none in memory.
    public var memoryProtection: MemoryProtection? { state.withLock { $0.snapshot?.plaintext.memoryProtection } }

    /// Locks the vault: new reads are refused at once, and the key is dropped.
    ///
    /// With no read in progress all secrets are zeros when this returns; otherwise they are when the last read ends.
    /// A lock during an unlock wins.
    public func lock() {
        // Bound here, so that what is dropped is wiped outside the lock, before this returns.
        let dropped = state.withLock { state in
            let dropped = (state.key, state.snapshot)
            state.epoch += 1
            state.key = nil
            state.snapshot = nil
            state.seen = nil
            return dropped
        }
        _ = dropped
    }

    /// Drops the decrypted settings and keeps the key: the next read decrypts the file again.
    package func dropCopy() {
        let dropped = state.withLock { state in
            let dropped = state.snapshot
            state.snapshot = nil
            return dropped
        }
        _ = dropped
    }

    // MARK: For the verbs, each in a file of its own

    /// The path of the file.
    ///
    /// - Throws: `ioError` when a location in the user's directories has no home.
    public func path() throws(VaultError) -> String { try location.path() }

    func store() throws(VaultError) -> VaultStore { VaultStore(path: try location.path(), system: system) }

    var epoch: UInt64 { state.withLock { $0.epoch } }

    /// The key and what is decrypted, if it is.
    ///
    /// - Throws: `locked`.
    func lease() throws(VaultError) -> Lease {
        let lease = state.withLock { state -> Lease? in
            state.dropForeign()
            guard let key = state.key else { return nil }
            return Lease(epoch: state.epoch, key: key, snapshot: state.snapshot, seen: state.seen)
        }
        guard let lease else { throw .locked }
        return lease
    }

    /// What a call works with, and keeps from being wiped, from its beginning to its end.
    struct Lease: Sendable {
        let epoch: UInt64
        let key: MasterKey
        let snapshot: Snapshot?
        let seen: SeenGeneration?
    }

    /// Installs what an unlock or a save gave, unless the vault was locked meanwhile.
    ///
    /// - Returns: whether it was installed.
    @discardableResult
    func install(_ key: MasterKey, _ snapshot: Snapshot, since epoch: UInt64, warnings: [VaultWarning]) -> Bool {
        state.withLock { state in
            guard state.epoch == epoch else { return false }
            state.key = key
            state.snapshot = snapshot
            state.seen = SeenGeneration(snapshot)
            state.warnings = warnings
            return true
        }
    }

    /// Runs the closure of an update, in which another change from the same thread is refused.
    ///
    /// It could only wait for itself: the file's lock is held meanwhile.
    func asUpdater<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let thread = CurrentThread.number
        state.withLock { $0.updater = thread }
        defer { state.withLock { $0.updater = nil } }
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
