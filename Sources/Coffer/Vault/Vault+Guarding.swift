internal import VaultFile

// What acts on an unlocked vault without a call of the app: deadlines, triggers, and news of the file.
extension Vault {
    /// Attaches what the app named as reasons to lock, before an unlock begins: so one that fires meanwhile wins.
    func makeGuards() -> VaultState.Guards {
        let (clock, triggers) = (surroundings.clock, surroundings.triggers)
        var guards = VaultState.Guards()
        guards.attachments = autoLock.triggers.map { trigger in
            trigger.attach(clock: clock, in: triggers) { [weak self] action in
                switch action {
                case .lock: self?.lock()
                case .dropCopy: self?.dropCopy()
                }
            }
        }
        if autoLock.idle != nil || autoLock.maximumAge != nil {
            guards.timer = LazyTimer(clock: clock) { [weak self] now in self?.lockIfOverdue(at: now) }
        }
        return guards
    }

    /// Sees to it that the vault is locked at its deadline. A system that once had no thread to spare is asked again.
    func ensureTimer() {
        let (timer, deadline) = withState { ($0.unlocked?.content.guards.timer, $0.nextDeadline) }
        if timer?.ensure(by: deadline) == false { withState { $0.warn(.timerUnavailable) } }
    }

    /// Whether somebody wants to know what others save, or that they have changed the passphrase.
    var isFollowed: Bool { hub.isObserved || surroundings.watchesAlways }

    /// Watches the file for saves of other processes, as long as the vault is unlocked.
    func watchFile() {
        guard let epoch = withState({ $0.unlocked != nil && !$0.isWatched ? $0.epoch : nil }), let path = try? path()
        else { return }
        do throws(Errno) {
            let watch = try FileWatch(path: path) { [weak self] in self?.newsOfFile() }
            // One that comes too late, or has ended, is let go of outside the lock.
            let leftOver = withState { state -> FileWatch? in
                guard state.epoch == epoch, !state.isWatched else { return watch }
                return state.watch(watch)
            }
            // A save between the last reading of the file and the watch was seen by neither.
            if leftOver !== watch { newsOfFile() }
        } catch {
            withState { $0.noteWatch(failure: error.code) }
        }
    }

    /// Looks at the file because something happened to it, unless a change of our own is what happened.
    private func newsOfFile() {
        if withState({ $0.newsCame() }) { startLook() }
    }

    /// Not on the thread that calls: it is that of all deadlines and signals, and a slow drive would hold them up.
    private func startLook() {
        if QuietThread.start({ [weak self] in self?.look() }) != 0 { look() }
    }

    private func look() {
        repeat {
            // What happened may be that the directory was moved, which ends a watch; also while the last look went on.
            if isFollowed { watchFile() }
            catchUp()
        } while withState { $0.endLook() }
    }

    /// Looks at the file, and reads it if it is not what was seen last: each read from here on sees that.
    ///
    /// Asked for after a save by another handle of this process.
    package func catchUp() {
        guard let lease = peek() else { return }
        if let snapshot = lease.snapshot {
            _ = try? newest(lease, than: snapshot)
        } else if (try? isOther(than: lease.seen)) == true {
            giveUpIfUnfit(lease.key)
            withChange { _ in ([], [.changedUnspecified], ()) }
        }
    }

    /// Runs a change of the file; news of the file that came meanwhile is looked into at its end.
    func changingFile<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        withState { $0.beginChange() }
        defer { if withState({ $0.endChange() }) { startLook() } }
        return try body()
    }
}

extension VaultState {
    /// Whether saves of other processes are told.
    fileprivate var isWatched: Bool { unlocked?.content.guards.watch?.isAlive == true }
}

extension VaultState.Guards {
    /// What of it does not work here.
    var warnings: [VaultWarning] {
        attachments.compactMap { attachment in
            attachment.unavailable.map { .triggerUnavailable(name: $0.name, errno: $0.errno) }
        } + (watchFailure.map { [.fileNotWatched(errno: $0)] } ?? [])
    }
}
