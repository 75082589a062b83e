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

    /// What one process has in the cache.
    final class Room: Sendable {
        let pool = GuardedPool()
        let contents = PlainMutex(CacheContents())
    }

    /// How long a value stays unless told otherwise.
    public let lifetime: Duration
    /// The most bytes of all values together.
    public let maximumBytes: Int
    /// The most values.
    public let maximumEntries: Int
    private let clock: any VaultClock
    private let room: PerProcess<Room>
    private let timer: LazyTimer

    /// Makes an empty cache, which takes no memory until something is set.
    ///
    /// - Parameters:
    ///   - lifetime: how long a value stays unless told otherwise. With 0 or less, nothing stays.
    ///   - maximumBytes: the most bytes of all values together; a negative number is taken as 0.
    ///   - maximumEntries: the most values; a negative number is taken as 0.
    public convenience init(
        lifetime: Duration = .seconds(60), maximumBytes: Int = 1 << 20, maximumEntries: Int = 1_024
    ) {
        self.init(
            lifetime: lifetime, maximumBytes: maximumBytes, maximumEntries: maximumEntries, clock: SystemClock())
    }

    /// Makes an empty cache on another clock.
    package init(
        lifetime: Duration = .seconds(60), maximumBytes: Int = 1 << 20, maximumEntries: Int = 1_024,
        clock: any VaultClock
    ) {
        self.lifetime = lifetime
        self.maximumBytes = max(maximumBytes, 0)
        self.maximumEntries = max(maximumEntries, 0)
        self.clock = clock
        let room = PerProcess { Room() }
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
        let pool = room.object.pool
        let value = try translating { () throws(SecureMemoryError) in
            try secret.withBytes { (bytes) throws(SecureMemoryError) in try pool.store(bytes) }
        }
        let (maximumBytes, maximumEntries) = (maximumBytes, maximumEntries)
        let (removed, next) = access { contents, now in
            let removed = contents.insert(
                value, as: key, until: Deadlines(idle: nil, maximumAge: lifetime, at: now),
                maximumBytes: maximumBytes, maximumEntries: maximumEntries)
            return (removed, contents.nextDeadline())
        }
        _ = removed
        // Where the system gives no thread, what expires is zeroed when the cache is next asked for anything.
        timer.ensure(by: next)
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
        let value = access { contents, now in contents.find(key, at: now) }
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
        return access { contents, _ in contents.remove(key) } != nil
    }

    /// Forgets all values. Those that no closure reads at this moment are zeros when this returns.
    public func removeAll() { room.existing?.clear() }

    /// The number of values that have not expired. Asking extends nothing.
    public var count: Int { access { contents, _ in contents.count } }

    /// The bytes of all values that have not expired. Asking extends nothing.
    public var byteCount: Int { access { contents, _ in contents.byteCount } }

    /// How often a value was found, and how often not, since the cache was made. Asking counts nothing.
    public var statistics: Statistics { access { contents, _ in contents.statistics } }

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

    /// Works on the values that have not expired.
    private func access<Result: Sendable>(_ body: (inout CacheContents, Int64) -> Result) -> Result {
        let now = clock.now
        let (result, expired) = room.object.contents.withLock { contents in
            let expired = contents.removeExpired(at: now)
            return (body(&contents, now), expired)
        }
        _ = expired
        return result
    }
}

extension MemoryCache.Room {
    /// Drops what has expired, and says when the next value will.
    func expire(at now: Int64) -> Int64? {
        let (expired, next) = contents.withLock { contents in
            (contents.removeExpired(at: now), contents.nextDeadline())
        }
        _ = expired
        return next
    }

    func clear() {
        let removed = contents.withLock { $0.removeAll() }
        _ = removed
    }
}
