package import Coffer
internal import PropertyLists
package import SecureMemory
internal import VaultFile

/// What the agent makes of the requests: it holds keys, reads and saves for clients, and forgets in time.
///
/// What needs no file is answered at once. Files are touched on other threads: a few that read and prove keys, one that
/// saves, and two that look for locks where their paths lead. A lock takes keys and values out of both queues; what a read that began before it brings, the loop drops.
package final class AgentService: AgentHandler {
    typealias Reply = @Sendable (consuming AgentReply) -> Void

    /// How long a save waits for the file's lock, and before that for other saves.
    package static let longestWait = Duration.seconds(5)
    /// How long a lock waits to learn where its path leads to now: a drive that takes longer may be gone.
    package static let longestLookup = Duration.seconds(2)
    // What a client cannot reach with the connections that it is allowed, and several can.
    private static let (mostReads, mostSaves) = (1_024, 256)
    /// The threads that read: one for each read that the loop lets begin.
    package static let mostReaders = AgentLimits().readsInFlight
    // Longer than a save can wait for a lock, so that what has begun is done. With the loop's farewell it is under the 20
    // seconds for which `agent stop` waits, and the 30 of the service manager.
    private static let longestEnd = Duration.seconds(8)

    let surroundings: VaultSurroundings
    let held: HeldVaults
    let memory: AgentMemory
    let lookupTimeout: Duration
    let reading: WorkQueue
    let lookups: PathLookups
    private let noticed = PlainMutex<UInt64>(0)
    let unlocks = HandedList<AgentUnlock, UInt64>()
    let changes = HandedList<AgentChange, String>()
    let saving = WorkQueue(name: "coffer-save", capacity: mostSaves)

    /// Makes a service that holds nothing.
    ///
    /// - Parameters:
    ///   - surroundings: of the vaults: the system, its memory and its time.
    ///   - lockTimeout: how long a save waits for the file's lock.
    ///   - lookupTimeout: how long a lock waits to learn where its path leads to.
    ///   - watchesFiles: whether the saves of others are noticed while nobody asks.
    ///   - readers: how many threads may read at once.
    ///   - refusals: what the system refused of the protection of the process.
    package init(
        surroundings: VaultSurroundings = VaultSurroundings(), lockTimeout: Duration = longestWait,
        lookupTimeout: Duration = longestLookup, watchesFiles: Bool = true, readers: Int = mostReaders,
        refusals: ProcessHardening.Refusals = []
    ) {
        var surroundings = surroundings
        surroundings.fileLockTimeout = lockTimeout
        surroundings.watchesAlways = watchesFiles
        self.surroundings = surroundings
        self.lookupTimeout = lookupTimeout
        held = HeldVaults(clock: surroundings.clock)
        let system = surroundings.system
        lookups = PathLookups { VaultPlace.resolved($0, system: system) }
        reading = WorkQueue(name: "coffer-read", threads: readers, capacity: Self.mostReads)
        memory = Self.memory(refusals)
    }

    /// The number of vaults that are unlocked.
    package var heldCount: Int { held.unlocked.count }

    /// Whether no worker has anything to do, and no key or value waits for one.
    package var isIdle: Bool {
        reading.isIdle && saving.isIdle && lookups.isIdle && unlocks.isEmpty && changes.isEmpty
    }

    package func handle(
        _ request: consuming AgentRequest, _ reply: @escaping @Sendable (consuming AgentReply) -> Void
    ) {
        switch consume request {
        case .hello(let version):
            reply(
                version == AgentProtocol.version
                    ? .hello(version: version, memory: memory) : .failure(.version(AgentProtocol.version)))
        case .status: reply(.status(status()))
        case .epoch(let path): reply(epoch(of: path))
        case .unlock(let unlock): self.unlock(unlock, reply)
        case .lock(nil):
            lockAll()
            reply(.done)
        case .lock(let path?): lock(path, reply)
        case .value(let path, let name): value(of: name, in: path, reply)
        case .list(let path, let name): list(path, after: name, reply)
        case .change(let change): self.change(change, reply)
        case .details(let path): details(of: path, reply)
        case .stop:
            held.end()
            _ = noticeLocks()
            reply(.done)
        }
    }

    package func lockAll() {
        held.lockAll()
        _ = noticeLocks()
    }

    package func noticeLocks() -> (count: UInt64, epoch: UInt64) {
        let found = held.lockCount
        // Whoever comes second waits here until all is dropped, so that no lock is answered before.
        noticed.withLock { noticed in
            guard found.count > noticed else { return }
            unlocks.drop { $0 < found.epoch }
            changes.drop { !held.isHeld(spelling: $0) }
            noticed = found.count
        }
        return found
    }

    package func isHeld(_ path: String) -> Bool { held.isHeld(spelling: path) }

    package func isHeld(_ path: String, since count: UInt64) -> Bool { held.isHeld(spelling: path, since: count) }

    package func knownPlace(of path: String) -> [UInt8]? { held.place(ofSpelling: path) }

    package func stop() {
        held.end()
        let deadline = MonotonicTime.deadline(after: Self.longestEnd)
        saving.finish(until: deadline)
        reading.finish(until: deadline)
    }

    // MARK: Steps of the exchanges

    /// Has a request answered on another thread, or says that there is no room for it.
    ///
    /// - Parameter takeBack: lets go of what was handed over for it, which nobody else would take then.
    func enqueue(
        _ queue: WorkQueue, _ reply: @escaping Reply, else takeBack: () -> Void = {},
        _ work: @escaping @Sendable () -> AgentReply
    ) {
        if queue.add({ reply(work()) }) { return }
        takeBack()
        reply(.failure(.busy))
    }

    /// Has a question about the contents of a vault answered on a reading thread.
    func read(
        _ path: String, _ reply: @escaping Reply, _ body: @escaping @Sendable (Vault) throws(VaultError) -> AgentReply
    ) {
        guard AgentProtocol.isPath(path) else { return reply(Self.pathRefused) }
        // Without a look at the path: it may stand on a drive that is gone.
        guard heldCount > 0 else { return reply(.failure(.vault(.locked))) }
        enqueue(reading, reply) { [self] in answer(path, body) }
    }

    private func answer(_ path: String, _ body: (Vault) throws(VaultError) -> AgentReply) -> AgentReply {
        guard let vault = vault(at: path)?.vault else { return .failure(.vault(.locked)) }
        do throws(VaultError) {
            let answer = try body(vault)
            // A lock that came meanwhile is to leave as little behind as can be.
            guard vault.isUnlocked else { return .failure(.vault(.locked)) }
            return answer
        } catch {
            return .failure(.vault(error))
        }
    }

    /// The vault that a path leads to now, if it is held. This may wait for a drive.
    func vault(at path: String) -> (place: VaultPlaces.Place, vault: Vault)? {
        let place = place(of: path)
        guard let vault = held.vault(at: place) else { return nil }
        held.note(path, place)
        return (place, vault)
    }

    /// Where a path leads to now. This may wait for a drive.
    func place(of path: String) -> VaultPlaces.Place { VaultPlace.resolved(path, system: surroundings.system) }

    static var pathRefused: AgentReply {
        .failure(.vault(.refused(reason: "a vault is named to the agent by an absolute path")))
    }

    private static func memory(_ refusals: ProcessHardening.Refusals) -> AgentMemory {
        guard let buffer = try? GuardedBuffer(count: 4_096) else {
            return AgentMemory(isLocked: false, isWipedOnFork: false, bindsLazily: true, refusals: refusals)
        }
        let found = MemoryProtection(of: buffer)
        return AgentMemory(
            isLocked: found.isLocked, isWipedOnFork: found.isWipedOnFork, bindsLazily: found.bindsLazily,
            refusals: refusals)
    }
}
