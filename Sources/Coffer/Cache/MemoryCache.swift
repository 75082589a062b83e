internal import PropertyLists
public import SecureMemory

/// Holds an app's own short-lived secrets in guarded memory, each for a while, and then forgets them.
///
/// A value expires a minute after it was set unless told otherwise, on a clock that also counts the time the machine
/// sleeps. Setting it again starts that anew; reading it does not. What has expired is never given out, and its bytes
/// are zeroed by a timer even if nobody asks for it. Nothing is kept as a Swift value: bytes go in from a ``Secret`` and
/// come out by a span or as another secret.
///
/// A cache may forget: when a limit is reached, the value that would expire first makes room for the new one. All calls
/// may come from any thread, and no lock is held while a closure runs. After a fork without exec, the child finds the
/// cache empty.
public final class MemoryCache: Sendable {
    /// What was asked for, and how often it was there.
    public struct Statistics: Sendable, Hashable {
        /// How often a value was found.
        public internal(set) var hits = 0
        /// How often a value was absent or had expired.
        public internal(set) var misses = 0
    }

    /// How long a value stays unless told otherwise.
    public let lifetime: Duration
    /// The most bytes of all values together.
    public let maximumBytes: Int
    /// The most values.
    public let maximumEntries: Int
    private let room: PerProcess<CacheRoom>
    private let timer: LazyTimer

    /// Makes an empty cache, which takes no memory until something is set.
    ///
    /// - Parameters:
    ///   - lifetime: how long a value stays unless told otherwise. With 0 or less, nothing stays.
    ///   - maximumBytes: the most bytes of all values together; a negative number is taken as 0.
    ///   - maximumEntries: the most values; a negative number is taken as 0.
    ///   - triggers: what clears the cache, each of them; watched while it holds something.
    public convenience init(
        lifetime: Duration = .seconds(60), maximumBytes: Int = 1 << 20, maximumEntries: Int = 1_024,
        triggers: [LockTrigger] = []
    ) {
        self.init(
            lifetime: lifetime, maximumBytes: maximumBytes, maximumEntries: maximumEntries, triggers: triggers,
            clock: SystemClock())
    }

    /// Makes an empty cache on another clock.
    package init(
        lifetime: Duration = .seconds(60), maximumBytes: Int = 1 << 20, maximumEntries: Int = 1_024,
        triggers: [LockTrigger] = [], clock: any VaultClock
    ) {
        self.lifetime = lifetime
        self.maximumBytes = max(maximumBytes, 0)
        self.maximumEntries = max(maximumEntries, 0)
        let room = PerProcess { CacheRoom(clock: clock, triggers: triggers) }
        self.room = room
        // The room alone, which does not know the timer: neither keeps the cache alive.
        timer = LazyTimer(clock: clock) { now in room.existing?.expire(at: now) }
    }

    deinit { room.existing?.clear() }

    /// Keeps a copy of a secret, in place of what has the same name.
    ///
    /// Names are compared by their bytes and are not secret: they stand in ordinary memory.
    ///
    /// - Parameters:
    ///   - name: up to 1,024 bytes.
    ///   - secret: up to `maximumBytes`.
    ///   - lifetime: how long the value stays, or nil for what the cache was made with. With 0 or less the name is
    ///     merely removed.
    /// - Throws: `limitExceeded` for a name or a secret that is too long, or when the cache may hold nothing;
    ///   `notEnoughMemory`; `refused` for a secret that was made before a fork. What was there then stays.
    public func set(
        _ name: String, to secret: borrowing Secret, lifetime: Duration? = nil
    ) throws(VaultError) {
        guard let key = Self.key(name) else {
            throw Self.tooLarge("name", name.utf8.count, NameRule.longestName)
        }
        guard !secret.isForeign else { throw .refused(reason: Passphrase.madeBeforeFork) }
        guard secret.count <= maximumBytes else { throw Self.tooLarge("cached bytes", secret.count, maximumBytes) }
        guard maximumEntries > 0 else { throw Self.tooLarge("cached values", 1, maximumEntries) }
        let lifetime = lifetime ?? self.lifetime
        guard lifetime > .zero else {
            remove(name)
            return
        }
        let room = room.object
        let next = try room.adding { () throws(VaultError) in
            try store(secret, as: key, for: lifetime, in: room)
        }
        // Where the system gives no thread, what expires is zeroed when the cache is next asked for anything.
        timer.ensure(by: next)
    }

    /// Stores a value, unless all are removed meanwhile, and says when the first one expires.
    private func store(
        _ secret: borrowing Secret, as name: SettingName, for lifetime: Duration, in room: CacheRoom
    ) throws(VaultError) -> Int64? {
        let epoch = room.access { contents, _ in contents.epoch }
        let value = try translating { () throws(SecureMemoryError) in
            try secret.withBytes { (bytes) throws(SecureMemoryError) in try room.pool.store(bytes) }
        }
        let (removed, next) = room.access { contents, now -> (CacheContents.Removed, Int64?) in
            guard contents.epoch == epoch else { return ([], contents.nextDeadline()) }
            let removed = contents.insert(
                value, as: name, until: Deadlines(idle: nil, maximumAge: lifetime, at: now),
                maximumBytes: maximumBytes, maximumEntries: maximumEntries)
            return (removed, contents.nextDeadline())
        }
        _ = removed
        return next
    }

    /// Lends the bytes of a value to a closure.
    ///
    /// No lock is held while the closure runs, so it may use the cache. A value that expires or is removed meanwhile is
    /// given out no more, and is zeroed when the closure ends.
    ///
    /// - Parameters:
    ///   - name: the value's name.
    ///   - body: reads the bytes in place; the span cannot leave it.
    /// - Returns: what `body` returns, or nil when there is no such value or it has expired.
    /// - Throws: what `body` throws.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        of name: String, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let key = Self.key(name)
        let value = room.object.access { contents, now in contents.find(key, at: now) }
        guard let value else { return nil }
        return try value.withBytes(body)
    }

    /// Copies a value into guarded memory of its own.
    ///
    /// - Parameter name: the value's name.
    /// - Returns: the copy, which outlives the cached value; or nil when there is none or it has expired.
    /// - Throws: `notEnoughMemory`.
    public func secret(for name: String) throws(VaultError) -> Secret? {
        try withBytes(of: name) { (bytes) throws(VaultError) in try Secret(copying: bytes) }
    }

    /// Forgets a value. Unless a closure reads it at this moment, its bytes are zeros when this returns.
    ///
    /// - Parameter name: the value's name.
    /// - Returns: whether there was one that had not expired.
    @discardableResult
    public func remove(_ name: String) -> Bool {
        guard let key = Self.key(name) else { return false }
        let room = room.object
        let removed = room.access { contents, _ in contents.remove(key) }
        room.endWatchIfEmpty()
        return removed != nil
    }

    /// Forgets all values. Those that no closure reads at this moment are zeros when this returns.
    ///
    /// What another thread is setting meanwhile is not kept either.
    public func removeAll() { room.existing?.clear() }

    /// The number of values that have not expired. Asking extends nothing.
    public var count: Int { room.object.access { contents, _ in contents.count } }

    /// The bytes of all values that have not expired. Asking extends nothing.
    public var byteCount: Int { room.object.access { contents, _ in contents.byteCount } }

    /// How often a value was found, and how often not, since the cache was made. Asking counts nothing.
    public var statistics: Statistics { room.object.access { contents, _ in contents.statistics } }

    /// What should be known about the triggers, as far as they have been watched: those that do not work here.
    public var warnings: [VaultWarning] { room.existing?.warnings ?? [] }

    /// How well the values are protected, or nil while there are none in memory.
    public var memoryProtection: MemoryProtection? { room.existing?.pool.protection }

    /// The number of bytes in guarded memory that are not zero, for the tests.
    package var nonZeroCount: Int { room.existing?.pool.nonZeroCount ?? 0 }

    private static func key(_ name: String) -> SettingName? {
        name.utf8.count <= NameRule.longestName ? SettingName(name) : nil
    }

    private static func tooLarge(_ field: String, _ value: Int, _ bound: Int) -> VaultError {
        .limitExceeded(field: field, value: UInt64(value), bound: UInt64(bound))
    }
}
