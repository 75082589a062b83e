internal import SecureMemory

/// The order of all locks, so that an unlock that was begun before one of them can tell.
///
/// Each lock has a number, and a client is given the latest before it asks for a passphrase. What it hands over with that
/// number is refused if its vault was locked since then. The first number is drawn, so that those of an agent that has
/// ended mean nothing to the next one.
struct LockEpochs: Sendable {
    /// The number of the latest lock.
    private(set) var latest: UInt64
    /// No vault can be unlocked with a lower number.
    private var floor: UInt64
    private var ofPlaces: [VaultPlaces.Place: UInt64] = [:]

    /// The most places whose locks are remembered apart; the oldest then count for all.
    static let mostPlaces = 256

    init() {
        var bytes = [UInt8](repeating: 0, count: 7)
        SecureRandom.fill(&bytes)
        // Far from the largest number, which no agent lives long enough to reach.
        latest = bytes.reduce(1) { $0 << 8 | UInt64($1) }
        floor = latest
    }

    /// How many places are remembered apart.
    var count: Int { ofPlaces.count }

    /// Gives a lock its number.
    mutating func next() -> UInt64 {
        latest += 1
        return latest
    }

    /// Notes that every vault was locked.
    mutating func lockAll() {
        floor = next()
        ofPlaces = [:]
    }

    /// Notes that the vault at a place was locked.
    mutating func lock(_ place: VaultPlaces.Place, at number: UInt64) {
        ofPlaces[place] = max(number, ofPlaces[place] ?? 0)
        guard ofPlaces.count > Self.mostPlaces, let oldest = ofPlaces.min(by: { $0.value < $1.value }) else { return }
        ofPlaces[oldest.key] = nil
        // Rather too many refused than one too few.
        floor = max(floor, oldest.value)
    }

    /// Whether no lock of everything is younger than a number that a client was given.
    func allows(_ epoch: UInt64) -> Bool { epoch >= floor && epoch <= latest }

    /// Whether no lock of a vault is younger than a number that a client was given.
    func allows(_ epoch: UInt64, at place: VaultPlaces.Place) -> Bool {
        allows(epoch) && epoch >= ofPlaces[place] ?? 0
    }
}
