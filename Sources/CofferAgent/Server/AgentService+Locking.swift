internal import Coffer
internal import SecureMemory
internal import VaultFile

// Unlocking, locking and what is told of both.
extension AgentService {
    /// Every vault that is held. It extends no deadline.
    func status() -> [AgentVaultStatus] {
        held.unlocked.compactMap { place, vault in
            // It may have locked itself since.
            guard let left = vault.timeLeft else { return nil }
            return AgentVaultStatus(
                path: String(decoding: place, as: UTF8.self), lockState: vault.lockState, idleLeft: left.idle,
                maximumLeft: left.maximumAge, isMemoryLocked: vault.memoryProtection?.isLocked ?? memory.isLocked,
                warnings: vault.warnings)
        }
    }

    /// The number that a client has to name with a key.
    ///
    /// It is the same for all paths: where the path leads to is looked up when the key comes.
    func epoch(of path: String) -> AgentReply {
        AgentProtocol.isPath(path) ? .epoch(held.epoch) : Self.pathRefused
    }

    // MARK: Unlocking

    /// Proves a key on the file, and holds it from then on, unless the vault was locked since the client began.
    func unlock(_ unlock: consuming AgentUnlock, _ reply: @escaping Reply) {
        guard AgentProtocol.isPath(unlock.path) else { return reply(Self.pathRefused) }
        guard held.allows(unlock.epoch) else { return reply(.failure(.staleEpoch)) }
        let epoch = unlock.epoch
        let handed = unlocks.hand(unlock, epoch)
        enqueue(reading, reply, else: { _ = handed.take() }) { [self] in
            switch handed.take() {
            case .some(let unlock): self.unlock(unlock)
            // A lock has taken it.
            case .none: .failure(.staleEpoch)
            }
        }
    }

    private func unlock(_ unlock: consuming AgentUnlock) -> AgentReply {
        let (path, epoch) = (unlock.path, unlock.epoch)
        let place = place(of: path)
        if let refusal = Self.refusal(held.check(epoch, at: place)) { return .failure(refusal) }
        do throws(VaultError) {
            let vault = try proved(unlock, at: place)
            let result = held.install(vault, at: place, epoch: epoch)
            if let refusal = Self.refusal(result) { return .failure(refusal) }
            held.note(path, place)
            return .done
        } catch .locked {
            // The machine slept while the key was proved.
            return .failure(.staleEpoch)
        } catch {
            return .failure(.vault(error))
        }
    }

    /// A new handle, unlocked. The bytes that were handed over are wiped when this returns.
    private func proved(_ unlock: consuming AgentUnlock, at place: VaultPlaces.Place) throws(VaultError) -> Vault {
        // A file name need not be text. Then the vault is known by the path that led there.
        let path = String(validating: place, as: UTF8.self) ?? unlock.path
        let autoLock = AutoLock(
            idle: unlock.idle, maximumAge: unlock.maximumAge, triggers: [.memoryPressure, .sleep])
        let accepts = unlock.acceptsUnexpected
        let vault = Vault(at: .file(path), autoLock: autoLock, freshness: .remembered, surroundings: surroundings)
        let key = Secret(unlock.key)
        try vault.unlock(key: key, acceptingUnexpectedFile: accepts)
        return vault
    }

    private static func refusal(_ admission: HeldVaults.Admission) -> AgentFailure? {
        switch admission {
        case .admitted: nil
        case .stale: .staleEpoch
        case .full:
            .vault(
                .limitExceeded(
                    field: "unlocked vaults", value: UInt64(HeldVaults.most) + 1, bound: UInt64(HeldVaults.most)))
        }
    }

    // MARK: Locking

    /// Locks a vault.
    ///
    /// Where its path led to last is locked at once. Where it leads to now is looked up on another thread, and
    /// locked before the answer. If that takes too long, or there is no room for it, everything is locked instead.
    func lock(_ path: String, _ reply: @escaping Reply) {
        guard AgentProtocol.isPath(path) else { return reply(Self.pathRefused) }
        let number = held.lock(spelling: path)
        _ = noticeLocks()
        let answer = Handed(Unanswered(reply: reply))
        // Rather all than none.
        let lockAllInstead: @Sendable () -> Void = { [self] in
            guard let answer = answer.take() else { return }
            lockAll()
            answer.reply(.done)
        }
        let latest = MonotonicTime.deadline(after: lookupTimeout)
        let bound = try? BackgroundLoop.shared.wakeUp(at: latest, lockAllInstead)
        let isAdded = lookups.add(path) { [self] place in
            held.lock(place, at: number)
            _ = noticeLocks()
            answer.take()?.reply(.done)
            bound?.cancel()
        }
        if !isAdded || bound == nil {
            lockAllInstead()
            bound?.cancel()
        }
    }

    private struct Unanswered: Sendable {
        let reply: Reply
    }
}
