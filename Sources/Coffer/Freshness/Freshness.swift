internal import SecureMemory
internal import VaultFile

/// What a handle knows of files that were seen before, by it and by other processes.
///
/// Specified in the file format, *Freshness*. With the policy of this process all of it is empty: the generations that
/// the handle itself saw are kept with its copy.
final class Freshness: Sendable {
    let policy: FreshnessPolicy
    private let surroundings: VaultSurroundings
    /// Each process has its own: a child may be forked while another thread of its parent is in here.
    private let accepted = PerProcess { Accepted() }

    private final class Accepted: Sendable {
        let last = PlainMutex<Acceptance?>(nil)
    }

    /// A file that was accepted and could not be written down, and the state that was against it.
    private struct Acceptance: Sendable {
        let sighting: FreshnessSighting
        let path: [UInt8]?
        let overruled: FreshnessState
    }

    init(_ policy: FreshnessPolicy, _ surroundings: VaultSurroundings) {
        self.policy = policy
        self.surroundings = surroundings
    }

    /// What is to be expected of a file that is read after this call.
    ///
    /// - Parameter path: the path of the vault.
    func expectation(at path: String) -> Expectation { Expectation(of: self, state: read(), path: path) }

    /// Reads what is remembered.
    func read() -> FreshnessState {
        guard let store else { return FreshnessState() }
        return withAcceptance(store.read())
    }

    /// The place of a file without links and dots, so that two spellings of a path are one; nil when it cannot be told.
    func place(of path: String) -> [UInt8]? { try? surroundings.system.realPath(of: path) }

    /// Remembers a file that was found good, or was saved.
    ///
    /// - Returns: a warning if it could not be written down.
    func record(_ sighting: FreshnessSighting, at path: String) -> [VaultWarning] {
        guard policy.isRemembered else { return [] }
        let place = place(of: path)
        return write { $0.record(sighting, at: place) }
    }

    /// Takes a file that was created or accepted for what is to be expected from now on.
    ///
    /// It holds for this handle even if it cannot be written down, until others record something else.
    ///
    /// - Returns: a warning if it could not be written down.
    func accept(_ sighting: FreshnessSighting, at path: String, against state: FreshnessState) -> [VaultWarning] {
        guard policy.isRemembered else { return [] }
        let place = place(of: path)
        accepted.object.last.withLock { $0 = nil }
        let warnings = write { $0.accept(sighting, at: place) }
        if !warnings.isEmpty {
            accepted.object.last.withLock { $0 = Acceptance(sighting: sighting, path: place, overruled: state) }
        }
        return warnings
    }

    private var store: FreshnessStore? {
        guard policy.isRemembered, let directory = surroundings.stateDirectory() else { return nil }
        return FreshnessStore(stateDirectory: directory, system: surroundings.system)
    }

    private func write(_ change: (inout FreshnessState) -> Void) -> [VaultWarning] {
        guard let store else { return [.freshnessNotRemembered(errno: 0, path: "~")] }
        do throws(StorageError) {
            try store.update { state in
                state = withAcceptance(state)
                change(&state)
            }
            return []
        } catch {
            return [.freshnessNotRemembered(errno: error.errno, path: store.path)]
        }
    }

    /// A state with what was accepted in it, as long as it says the same of the vault as it did then.
    private func withAcceptance(_ state: FreshnessState) -> FreshnessState {
        guard let accepted = accepted.object.last.withLock({ $0 }),
            state.agrees(with: accepted.overruled, on: accepted.sighting.vaultID, at: accepted.path)
        else { return state }
        var state = state
        state.accept(accepted.sighting, at: accepted.path)
        return state
    }
}
