internal import VaultFile

extension Vault {
    /// What a call works with, and keeps from being wiped, from its beginning to its end.
    struct Lease: Sendable {
        let epoch: UInt64
        let revision: UInt64
        let key: MasterKey
        let snapshot: Snapshot?
        let seen: SeenGeneration?
        /// Whether it is time to look if another process has saved.
        let looks: Bool

        /// Refuses to go on in a child that was forked meanwhile.
        ///
        /// - Throws: `locked`.
        func checkProcess() throws(VaultError) {
            if key.isForeign { throw .locked }
        }
    }

    /// The key and what is decrypted, if it is; the idle deadline is extended.
    ///
    /// - Throws: `locked`, also when a deadline has passed: then everything is zeros.
    func lease() throws(VaultError) -> Lease {
        let now = surroundings.clock.now
        let (lease, isOverdue) = withState { state -> (Lease?, Bool) in
            guard let held = state.use(at: now) else { return (nil, state.isOverdue(at: now)) }
            return (state.lease(of: held, looks: state.isTimeToLook(at: now)), false)
        }
        if isOverdue { _ = lockIfOverdue(at: now) }
        guard let lease else { throw .locked }
        // Not at each read, which is to be quick.
        if lease.looks { ensureTimer() }
        return lease
    }

    /// What is held, for a look that is no use of the vault.
    func peek() -> Lease? {
        let now = surroundings.clock.now
        return withState { state in state.held(at: now).map { state.lease(of: $0, looks: true) } }
    }
}

extension VaultState {
    fileprivate func lease(of held: Unlocked, looks: Bool) -> Vault.Lease {
        Vault.Lease(
            epoch: epoch, revision: revision, key: held.key, snapshot: held.snapshot, seen: seen, looks: looks)
    }
}
