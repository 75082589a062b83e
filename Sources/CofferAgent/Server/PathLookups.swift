internal import SecureMemory

/// Looks where paths lead to now, for locks. That may wait for a drive, on threads that nothing else waits for.
///
/// One spelling is looked up by one thread at a time, so that a drive that hangs does not take a thread for each lock.
final class PathLookups: Sendable {
    typealias Found = @Sendable (VaultPlaces.Place) -> Void

    // What waits for a drive that is gone is answered meanwhile, and stays here until the drive comes back.
    private static let (threads, mostWaiting) = (2, 64)

    private struct State: Sendable {
        /// Who waits for the next look, by spelling; a spelling stands here for as long as a thread has it.
        var waiting: [[UInt8]: [Found]] = [:]
        var count = 0
    }

    private let look: @Sendable (String) -> VaultPlaces.Place
    private let state = PlainMutex(State())
    private let queue = WorkQueue(name: "coffer-look", threads: threads, capacity: mostWaiting)

    /// - Parameter look: where a path leads to now.
    init(_ look: @escaping @Sendable (String) -> VaultPlaces.Place) { self.look = look }

    /// Has a path looked up, from now on: what was found before does not count.
    ///
    /// - Returns: false if there is no room; then nothing is called.
    func add(_ path: String, _ found: @escaping Found) -> Bool {
        let spelling = Array(path.utf8)
        return state.withLock { state in
            guard state.count < Self.mostWaiting else { return false }
            if state.waiting[spelling] == nil {
                guard queue.add({ [self] in run(path, spelling) }) else { return false }
            }
            state.waiting[spelling, default: []].append(found)
            state.count += 1
            return true
        }
    }

    /// Whether nothing is looked up.
    var isIdle: Bool { queue.isIdle }

    private func run(_ path: String, _ spelling: [UInt8]) {
        while let all = next(spelling) {
            let place = look(path)
            for found in all { found(place) }
            state.withLock { $0.count -= all.count }
        }
    }

    private func next(_ spelling: [UInt8]) -> [Found]? {
        state.withLock { state in
            guard let all = state.waiting[spelling], !all.isEmpty else {
                state.waiting[spelling] = nil
                return nil
            }
            state.waiting[spelling] = []
            return all
        }
    }
}
