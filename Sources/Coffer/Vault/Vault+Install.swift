internal import VaultFile

// How what was read or saved becomes what reads see, whatever happened meanwhile.
extension Vault {
    /// Where the state stands before an unlock or a creation, and what would lock the vault from then on.
    struct UnlockAttempt: Sendable {
        let epoch: UInt64
        let revision: UInt64
        let guards: VaultState.Guards
    }

    /// Begins an unlock or a creation: a lock, or a trigger that fires from here on, wins.
    func beginUnlock() -> UnlockAttempt {
        let (epoch, revision) = withState { ($0.epoch, $0.revision) }
        return UnlockAttempt(epoch: epoch, revision: revision, guards: makeGuards())
    }

    /// Installs what was decrypted of the file, unless anything was installed or locked meanwhile.
    ///
    /// - Returns: whether it was installed.
    func install(_ fresh: Snapshot, over lease: Lease) -> Bool {
        let events = differences(between: lease, and: fresh)
        return withChange { state in
            guard state.revision == lease.revision else { return ([], [], false) }
            // The key is the same, and so is its cost, of which alone a reading could warn.
            return (state.renew(fresh, key: lease.key, warnings: nil), events, true)
        }
    }

    /// Installs what an unlock found. If a save ended meanwhile, and what was found is older, the key alone counts.
    ///
    /// - Returns: false when the vault was locked meanwhile.
    func install(_ opened: Opened, since attempt: UnlockAttempt) -> Bool {
        let now = surroundings.clock.now
        let found = SeenGeneration(opened.snapshot)
        let changes = hub.isObserved ? peek().map { differences(between: $0, and: opened.snapshot) } ?? [] : []
        let isUnlocked = withChange { state in
            guard state.epoch == attempt.epoch else { return ([], [], false) }
            var (key, snapshot): (MasterKey, Snapshot?) = (opened.key, opened.snapshot)
            var warnings = opened.warnings
            if state.revision != attempt.revision, state.mayHaveSeen(found) {
                // Without a snapshot, the next read decrypts the file as it is now.
                (key, snapshot) = (state.unlocked?.content.key ?? key, state.unlocked?.content.snapshot)
                if state.unlocked != nil { warnings = state.warnings }
            }
            let held = hold(key, snapshot, attempt.guards, at: now)
            let events = snapshot === opened.snapshot && state.unlocked != nil ? changes : []
            return (state.unlock(held, warnings: warnings + attempt.guards.warnings), events, true)
        }
        if isUnlocked { becameUnlocked() }
        return isUnlocked
    }

    /// Installs a new vault, unless it was locked meanwhile.
    func install(created saved: Change.Saved, key: MasterKey, since attempt: UnlockAttempt) {
        let now = surroundings.clock.now
        let isUnlocked = withChange { state in
            guard state.epoch == attempt.epoch else { return (state.outdate(by: saved.snapshot), [], false) }
            let held = hold(key, saved.snapshot, attempt.guards, at: now)
            return (state.unlock(held, warnings: saved.warnings + attempt.guards.warnings), [], true)
        }
        if isUnlocked { becameUnlocked() }
    }

    /// Installs what a save made. Saves are in order, because each holds the file's lock until this has returned.
    ///
    /// If the vault was locked meanwhile, nothing is kept but the generation; and an unlock since then may have read the
    /// file before the save, so what that decrypted is dropped.
    func install(_ saved: Change.Saved, key: MasterKey, since epoch: UInt64, changed names: [SettingName]) {
        let now = surroundings.clock.now
        let events = names.isEmpty ? [] : [VaultEvent.changed(names)]
        withChange { state in
            guard state.epoch == epoch, let held = state.held(at: now) else {
                return (state.outdate(by: saved.snapshot), events, ())
            }
            let warnings = saved.warnings + held.guards.warnings
            return (state.renew(saved.snapshot, key: key, warnings: warnings), events, ())
        }
    }

    private func hold(
        _ key: MasterKey, _ snapshot: Snapshot?, _ guards: VaultState.Guards, at now: Int64
    ) -> Held<VaultState.Unlocked> {
        let deadlines = Deadlines(idle: autoLock.idle, maximumAge: autoLock.maximumAge, at: now)
        return Held(VaultState.Unlocked(key: key, snapshot: snapshot, guards: guards), until: deadlines)
    }

    private func becameUnlocked() {
        ensureTimer()
        if isFollowed { watchFile() }
    }
}

extension VaultState {
    /// Whether what was read may be as old as what this handle has seen, or older. After a deadline nobody knows.
    fileprivate func mayHaveSeen(_ found: SeenGeneration) -> Bool {
        guard let seen else { return true }
        return seen.vaultID == found.vaultID && seen.generation >= found.generation
    }
}
