internal import SecureMemory

/// The values of a cache by name; whoever calls holds the cache's lock.
///
/// Nothing is wiped here: what a call takes out it gives back, to be let go outside the lock.
struct CacheContents: Sendable {
    typealias Removed = [GuardedCell]

    private struct Entry: Sendable {
        let held: Held<GuardedCell>
        let count: Int
        let serial: UInt64
    }

    private var entries: [SettingName: Entry] = [:]
    private var queue = ExpiryQueue()
    private var lastSerial: UInt64 = 0
    /// The bytes of all values.
    private(set) var byteCount = 0
    private(set) var statistics = MemoryCache.Statistics()
    /// Grows when all values are removed, so that one on its way can tell.
    private(set) var epoch: UInt64 = 0

    var count: Int { entries.count }

    /// When the next value expires, or nil for never.
    mutating func nextDeadline() -> Int64? {
        guard let first = first(), first.deadline != .max else { return nil }
        return first.deadline
    }

    /// Looks a value up and counts that.
    mutating func find(_ name: SettingName?, at now: Int64) -> GuardedCell? {
        let value = name.flatMap { entries[$0] }?.held.value(at: now)
        if value == nil { statistics.misses += 1 } else { statistics.hits += 1 }
        return value
    }

    /// Takes in a value in place of what has its name. What expires first makes room for it.
    mutating func insert(
        _ value: GuardedCell, as name: SettingName, until deadlines: Deadlines, maximumBytes: Int, maximumEntries: Int
    ) -> Removed {
        var removed = remove(name).map { [$0] } ?? []
        while count >= max(maximumEntries, 1) || byteCount > maximumBytes - value.count, let first = first() {
            if let evicted = remove(first.name) { removed.append(evicted) }
        }
        lastSerial += 1
        let held = Held(value, until: deadlines)
        entries[name] = Entry(held: held, count: value.count, serial: lastSerial)
        byteCount += value.count
        // Values that are set again and again, long before they expire, must not fill the queue.
        if queue.count > 2 * entries.count + 64 {
            let entries = entries
            queue.keep { entries[$0.name]?.serial == $0.serial }
        }
        queue.insert(.init(deadline: deadlines.next ?? .max, serial: lastSerial, name: name))
        return removed
    }

    mutating func remove(_ name: SettingName) -> GuardedCell? {
        guard let entry = entries.removeValue(forKey: name) else { return nil }
        byteCount -= entry.count
        return entry.held.content
    }

    mutating func removeAll() -> Removed {
        let removed = entries.values.map(\.held.content)
        epoch += 1
        entries = [:]
        queue = ExpiryQueue()
        byteCount = 0
        return removed
    }

    mutating func removeExpired(at now: Int64) -> Removed {
        var removed: Removed = []
        while let first = first(), first.deadline <= now, first.deadline != .max {
            if let expired = remove(first.name) { removed.append(expired) }
        }
        return removed
    }

    /// What expires first, of what is still there.
    private mutating func first() -> ExpiryQueue.Item? {
        while let first = queue.first {
            if entries[first.name]?.serial == first.serial { return first }
            queue.removeFirst()
        }
        return nil
    }
}
