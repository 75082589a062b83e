internal import Coffer
internal import SecureMemory

/// The vaults that are unlocked, and the locks that have been.
///
/// One object for each unlock: a second unlock of a vault carries nothing over from the first. A vault that locked itself
/// leaves the table when it is looked at next. No call waits for a drive; what is dropped is wiped before the call
/// returns, outside the table's lock.
final class HeldVaults: Sendable {
    /// A vault, and the lock epoch that it was unlocked under.
    private struct Entry: Sendable {
        let vault: Vault
        let epoch: UInt64
        /// The count of locks since which the vault at this place is held without a break.
        let since: UInt64
    }

    private struct State: Sendable {
        var epochs = LockEpochs()
        var entries: [VaultPlaces.Place: Entry] = [:]
        var places = VaultPlaces()
        /// How long the machine had slept at most, when somebody looked last.
        var slept: Int64
        /// How often something was locked, by whom ever.
        var locks: UInt64 = 0
        /// The count of locks that a read must have begun at, so that its spelling is known to lead to what it has read.
        var placesSince: UInt64 = 0
        var isEnding = false
        /// What is to be locked once the table's lock is given back.
        var dropped: [Vault] = []
    }

    /// Whether a vault is held, or may be.
    enum Admission: Equatable, Sendable {
        case admitted
        /// It was locked since the client began.
        case stale
        /// There are as many vaults as there may be.
        case full
    }

    /// The most vaults that are held at once.
    static let most = 32

    // As for the trigger: more than clocks can differ by, in nanoseconds.
    private static let shortestSleep: Int64 = 1_000_000_000

    private let clock: any VaultClock
    private let state: PlainMutex<State>

    init(clock: any VaultClock) {
        self.clock = clock
        state = PlainMutex(State(slept: clock.sleptAtMost))
    }

    // MARK: Unlocking

    /// The epoch that a client names when it hands over a key.
    var epoch: UInt64 { withState { $0.epochs.latest } }

    /// Whether an unlock of some vault may go on that began at an epoch.
    func allows(_ epoch: UInt64) -> Bool { withState { !$0.isEnding && $0.epochs.allows(epoch) } }

    /// Whether an unlock of the vault at a place may go on that began at an epoch, and there is room for the vault.
    func check(_ epoch: UInt64, at place: VaultPlaces.Place) -> Admission {
        withState { state in Self.check(epoch, at: place, in: &state) }
    }

    private static func check(_ epoch: UInt64, at place: VaultPlaces.Place, in state: inout State) -> Admission {
        guard !state.isEnding, state.epochs.allows(epoch, at: place) else { return .stale }
        sweep(&state)
        return state.entries[place] != nil || state.entries.count < most ? .admitted : .full
    }

    /// Holds a vault that is unlocked, in place of the one that was held there; otherwise locks it.
    func install(_ vault: Vault, at place: VaultPlaces.Place, epoch: UInt64) -> Admission {
        withState { state in
            let result = Self.check(epoch, at: place, in: &state)
            guard result == .admitted else {
                state.dropped.append(vault)
                return result
            }
            let old = state.entries[place]
            state.entries[place] = Entry(vault: vault, epoch: epoch, since: old?.since ?? state.locks)
            if let old { state.dropped.append(old.vault) }
            return result
        }
    }

    // MARK: Using

    /// The vault at a place, if it is held.
    func vault(at place: VaultPlaces.Place) -> Vault? { withState { $0.entries[place]?.vault } }

    /// Remembers where a spelling of a path leads to, if a vault is held there.
    func note(_ spelling: String, _ place: VaultPlaces.Place) {
        withState { state in
            guard state.entries[place] != nil, !state.places.note(spelling, place) else { return }
            // What is being read by way of a spelling may be what the spelling led to before. That counts at the next lock.
            state.placesSince = state.locks + 1
        }
    }

    /// All vaults that are unlocked, in the order of their paths.
    var unlocked: [(place: VaultPlaces.Place, vault: Vault)] {
        withState { state in
            Self.sweep(&state)
            return state.entries.map { ($0.key, $0.value.vault) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        }
    }

    /// How often something was locked, and the latest number of a lock that was told to the agent.
    var lockCount: (count: UInt64, epoch: UInt64) {
        withState { state in
            Self.sweep(&state)
            return (state.locks, state.epochs.latest)
        }
    }

    /// Whether a path led to a vault that is unlocked, when it was looked up last.
    func isHeld(spelling: String) -> Bool {
        withState { state in
            Self.place(of: spelling, in: state).flatMap { state.entries[$0] }?.vault.isUnlocked ?? false
        }
    }

    /// Whether the vault that a path led to has been unlocked without a break since a count of locks.
    func isHeld(spelling: String, since count: UInt64) -> Bool {
        withState { state in
            guard count >= state.placesSince, let place = Self.place(of: spelling, in: state),
                let entry = state.entries[place]
            else { return false }
            return entry.since <= count && entry.vault.isUnlocked
        }
    }

    /// Where a path led to when it was looked up last; nil if that was never, or is forgotten.
    func place(ofSpelling spelling: String) -> VaultPlaces.Place? { withState { Self.place(of: spelling, in: $0) } }

    private static func place(of spelling: String, in state: State) -> VaultPlaces.Place? {
        let exact = Array(spelling.utf8)
        return state.places.place(of: spelling) ?? (state.entries[exact] != nil ? exact : nil)
    }

    // What locked itself is let go of, and wiped, once the table's lock is given back.
    private static func sweep(_ state: inout State) {
        for (place, entry) in state.entries where !entry.vault.isUnlocked {
            state.entries[place] = nil
            state.dropped.append(entry.vault)
            state.locks += 1
        }
    }

    // MARK: Locking

    /// Locks every vault.
    func lockAll() { withState { Self.lockAll(&$0) } }

    /// Locks every vault, and holds none from now on.
    func end() {
        withState { state in
            state.isEnding = true
            Self.lockAll(&state)
        }
    }

    /// Locks the vault that a path led to when it was looked up last.
    ///
    /// - Returns: the number of this lock.
    func lock(spelling: String) -> UInt64 {
        withState { state in
            let number = state.epochs.next()
            if let place = Self.place(of: spelling, in: state) { Self.lock(place, at: number, in: &state) }
            return number
        }
    }

    /// Locks the vault at a place, unless it was asked for after the lock with this number.
    func lock(_ place: VaultPlaces.Place, at number: UInt64) {
        withState { state in Self.lock(place, at: number, in: &state) }
    }

    private static func lock(_ place: VaultPlaces.Place, at number: UInt64, in state: inout State) {
        state.epochs.lock(place, at: number)
        state.locks += 1
        guard let entry = state.entries[place], entry.epoch < number else { return }
        state.entries[place] = nil
        state.dropped.append(entry.vault)
    }

    private static func lockAll(_ state: inout State) {
        state.epochs.lockAll()
        state.locks += 1
        state.dropped += state.entries.values.map(\.vault)
        state.entries = [:]
    }

    // MARK: The table's lock

    /// Looks at the table, and first whether the machine slept: that is a lock of everything.
    private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (slept, most) = (clock.slept, clock.sleptAtMost)
        let (result, dropped) = state.withLock { state -> (Result, [Vault]) in
            if slept &- state.slept >= Self.shortestSleep {
                state.slept = most
                Self.lockAll(&state)
            }
            let result = body(&state)
            defer { state.dropped = [] }
            return (result, state.dropped)
        }
        for vault in dropped { vault.lock() }
        return result
    }
}
