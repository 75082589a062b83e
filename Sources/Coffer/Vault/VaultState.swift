internal import VaultFile

/// What is known of a vault in memory, and how it changes: no call out of here, and nothing is wiped in here.
///
/// Locked: nothing is held. Unlocked: the key and the decrypted settings. Copy dropped: the key alone. What was replaced
/// is given back, so that it is wiped outside the lock that guards this.
struct VaultState {
    /// What is held while the vault is unlocked, and until its deadlines.
    struct Unlocked: Sendable {
        let key: MasterKey
        var snapshot: Snapshot?
        var guards: Guards
    }

    /// What acts on an unlocked vault from outside; letting go of it ends that.
    struct Guards: Sendable {
        /// What the app named as reasons to lock.
        var attachments: [Attachment] = []
        /// Wakes up at the deadlines.
        var timer: LazyTimer?
        /// Tells of the saves of other processes, once anybody has begun to observe.
        var watch: FileWatch?
        /// Why there is none, if one was asked for.
        var watchFailure: Int32?
    }

    /// What was replaced, to be wiped outside the lock.
    typealias Replaced = [any Sendable]

    /// Grows with each lock, so that an unlock or a save that began before it can tell.
    private(set) var epoch: UInt64 = 0
    /// Grows with each change of what follows, so that a slow read cannot put back what is older.
    private(set) var revision: UInt64 = 0
    private(set) var unlocked: Held<Unlocked>?
    /// The newest generation that was seen since the unlock, also while the copy is dropped.
    private(set) var seen: SeenGeneration?
    private(set) var warnings: [VaultWarning] = []
    /// When a read looks next whether another process has saved.
    private var nextLook: Int64 = .min
    /// The thread that runs the closure of an update.
    var updater: UInt?
    /// How many changes of the file are under way in this handle.
    private var changesUnderWay = 0
    /// News of the file: whether a thread looks into them, and whether more came that nobody looks into yet.
    private var news = (isLookedInto: false, isWaiting: false)

    /// How long a read relies on the file being as it was, in nanoseconds.
    static let lookInterval: Int64 = 250_000_000

    /// What is held, if no deadline has passed. Asking extends none.
    func held(at now: Int64) -> Unlocked? {
        guard let held = unlocked?.value(at: now), !held.guards.attachments.contains(where: { $0.isDue() })
        else {
            return nil
        }
        return held
    }

    func lockState(at now: Int64) -> LockState {
        guard let held = held(at: now) else { return .locked }
        return held.snapshot == nil ? .unlockedWithoutCopy : .unlocked
    }

    /// What is held, whatever the time: observers are told when that changes.
    var rawLockState: LockState {
        guard let unlocked else { return .locked }
        return unlocked.content.snapshot == nil ? .unlockedWithoutCopy : .unlocked
    }

    /// What is held, for a call that uses it and so extends the idle deadline.
    mutating func use(at now: Int64) -> Unlocked? {
        guard held(at: now) != nil else { return nil }
        return unlocked?.use(at: now)
    }

    /// Whether it is time to look at the file; then the next time is later.
    mutating func isTimeToLook(at now: Int64) -> Bool {
        guard now >= nextLook else { return false }
        nextLook = now + Self.lookInterval
        return true
    }

    /// The time at which the vault locks itself, if it does.
    var nextDeadline: Int64? { unlocked?.deadlines.next }

    /// Whether something is held whose time has passed.
    func isOverdue(at now: Int64) -> Bool { unlocked != nil && held(at: now) == nil }

    // MARK: News of the file

    /// Something happened to the file.
    ///
    /// - Returns: whether to look into it now: a change that is under way, or a look, does it at its end.
    mutating func newsCame() -> Bool {
        news.isWaiting = true
        return beginLook()
    }

    /// - Returns: whether there is news to look into, which the caller does then.
    private mutating func beginLook() -> Bool {
        guard news.isWaiting, !news.isLookedInto, changesUnderWay == 0 else { return false }
        news = (isLookedInto: true, isWaiting: false)
        return true
    }

    /// - Returns: whether there is more to look into.
    mutating func endLook() -> Bool {
        news.isLookedInto = false
        return beginLook()
    }

    mutating func beginChange() { changesUnderWay += 1 }

    /// - Returns: whether there is news to look into, which the caller does then.
    mutating func endChange() -> Bool {
        // A child that was forked in the middle of a change has not begun it.
        changesUnderWay = max(0, changesUnderWay - 1)
        return beginLook()
    }

    // MARK: Transitions

    /// Drops everything because somebody or something said so; what began to unlock before is refused.
    mutating func lock() -> Replaced {
        epoch += 1
        return expire()
    }

    /// Drops everything because its time has passed, or its key fits no more; an unlock that has begun may end.
    mutating func expire() -> Replaced {
        let replaced: Replaced = unlocked.map { [$0] } ?? []
        revision += 1
        (unlocked, seen) = (nil, nil)
        return replaced
    }

    /// Drops the decrypted settings and keeps the key.
    mutating func dropCopy() -> Replaced {
        let replaced: Replaced = unlocked?.content.snapshot.map { [$0] } ?? []
        revision += 1
        unlocked?.content.snapshot = nil
        return replaced
    }

    /// Takes what an unlock or a creation made. The deadlines begin.
    mutating func unlock(_ opened: Held<Unlocked>, warnings: [VaultWarning]) -> Replaced {
        let replaced: Replaced = unlocked.map { [$0] } ?? []
        revision += 1
        unlocked = opened
        self.warnings = []
        for warning in warnings { warn(warning) }
        if let snapshot = opened.content.snapshot { seen = SeenGeneration(snapshot) }
        return replaced
    }

    /// Takes newer settings, or the old ones decrypted again, and leaves the deadlines as they are.
    ///
    /// - Parameter warnings: what a save found; nil, when nothing was saved, keeps those that there are.
    mutating func renew(_ snapshot: Snapshot, key: MasterKey, warnings: [VaultWarning]?) -> Replaced {
        guard let old = unlocked?.content else { return [] }
        let replaced: Replaced = [old.key, old.snapshot]
        revision += 1
        unlocked?.content = Unlocked(key: key, snapshot: snapshot, guards: old.guards)
        if let warnings { self.warnings = warnings }
        seen = SeenGeneration(snapshot)
        return replaced
    }

    /// Adds what tells of the saves of other processes.
    ///
    /// - Returns: what did so before.
    mutating func watch(_ watch: FileWatch) -> FileWatch? {
        defer {
            unlocked?.content.guards.watch = watch
            noteWatch(failure: nil)
        }
        return unlocked?.content.guards.watch
    }

    /// Says why there is nothing that tells of the saves of other processes, until there is.
    mutating func noteWatch(failure: Int32?) {
        guard let unlocked else { return }
        let old = unlocked.content.guards.watchFailure.map { VaultWarning.fileNotWatched(errno: $0) }
        warnings.removeAll { $0 == old }
        self.unlocked?.content.guards.watchFailure = failure
        if let failure { warnings.append(.fileNotWatched(errno: failure)) }
    }

    mutating func warn(_ warning: VaultWarning) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// Remembers a save that ended after the vault was locked. An unlock since then may have read the file before it.
    mutating func outdate(by saved: Snapshot) -> Replaced {
        let replaced = dropCopy()
        seen = SeenGeneration(saved)
        return replaced
    }
}
