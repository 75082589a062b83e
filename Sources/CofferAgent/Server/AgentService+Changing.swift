internal import Coffer
internal import PropertyLists
internal import SecureMemory
internal import VaultFile

// Changes: all steps of one request in one save, or none.
extension AgentService {
    /// Changes settings on the saving thread. What has begun is ended, whether or not the client still waits.
    func change(_ change: consuming AgentChange, _ reply: @escaping Reply) {
        guard AgentProtocol.isPath(change.path) else { return reply(Self.pathRefused) }
        let clock = surroundings.clock
        let latest = clock.now.addingSaturated(Self.longestWait.nanoseconds)
        guard heldCount > 0 else { return reply(.failure(.vault(.locked))) }
        let path = change.path
        let handed = changes.hand(change, path)
        enqueue(saving, reply, else: { _ = handed.take() }) { [self] in
            switch handed.take() {
            // Nobody is to wait for a lock after having waited for others to do so.
            case .some(let change): clock.now <= latest ? self.save(change) : Self.heldUp(path)
            // A lock has taken it.
            case .none: .failure(.vault(.locked))
            }
        }
    }

    /// A save before this one took too long: its drive may be slow, or another program hold the lock of its file.
    private static func heldUp(_ path: String) -> AgentReply {
        .failure(
            .vault(
                .ioError(
                    step: "begin to save: an earlier save takes too long", errno: Errno.wouldBlock.code, path: path)))
    }

    private func save(_ change: borrowing AgentChange) -> AgentReply {
        guard let (place, vault) = vault(at: change.path) else { return .failure(.vault(.locked)) }
        do {
            let made = try vault.update { draft throws in try ChangeSteps.apply(change, to: &draft) }
            // The vault may have been unlocked anew meanwhile, and have read what was there before.
            if let other = held.vault(at: place), other !== vault { other.catchUp() }
            return .changed(generation: made.generation, outcomes: made.outcomes, warnings: vault.warnings)
        } catch let refusal as ChangeSteps.Refusal {
            return .failure(refusal.failure)
        } catch VaultError.conflict {
            // The key of this unlock is of no use any more.
            vault.lock()
            return .failure(.vault(.conflict))
        } catch let error as VaultError {
            return .failure(.vault(error))
        } catch {
            return .failure(.vault(.refused(reason: "the change was not made")))
        }
    }
}
