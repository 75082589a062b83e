internal import SecureMemory

/// What one process has in a cache.
final class CacheRoom: Sendable {
    let pool = GuardedPool()
    private let contents = PlainMutex(CacheContents())
    private let clock: any VaultClock
    private let triggers: [LockTrigger]
    private let watch = PlainMutex(Watch())

    private struct Watch: Sendable {
        var attachments: [Attachment] = []
        /// How many values are on their way into the cache.
        var arriving = 0
        var warnings: [VaultWarning] = []
    }

    init(clock: any VaultClock, triggers: [LockTrigger]) {
        self.clock = clock
        self.triggers = triggers
    }

    /// Works on the values that have not expired, and were not cleared by a trigger.
    func access<Result: Sendable>(_ body: (inout CacheContents, Int64) -> Result) -> Result {
        clearIfDue()
        let now = clock.now
        let (result, expired) = contents.withLock { contents in
            let expired = contents.removeExpired(at: now)
            return (body(&contents, now), expired)
        }
        // What is let go here is wiped here, outside the lock, unless a closure reads it.
        _ = expired
        return result
    }

    /// Drops what has expired, and says when the next value will.
    func expire(at now: Int64) -> Int64? {
        let (expired, next) = contents.withLock { contents in
            (contents.removeExpired(at: now), contents.nextDeadline())
        }
        _ = expired
        endWatchIfEmpty()
        return next
    }

    /// Forgets all values, those too that are on their way.
    func clear() {
        let removed = contents.withLock { $0.removeAll() }
        _ = removed
        endWatchIfEmpty()
    }

    // MARK: Triggers, which are watched while the cache holds something

    /// What of the triggers does not work here, as far as they have been watched.
    var warnings: [VaultWarning] { watch.withLock { $0.warnings } }

    /// Runs what adds a value, with the triggers watched from before it on.
    func adding<Result: ~Copyable & Sendable>(
        _ body: () throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        guard !triggers.isEmpty else { return try body() }
        watch.withLock { watch in
            watch.arriving += 1
            if watch.attachments.isEmpty { attach(&watch) }
        }
        defer {
            watch.withLock { $0.arriving -= 1 }
            endWatchIfEmpty()
        }
        return try body()
    }

    private func attach(_ watch: inout Watch) {
        watch.attachments = triggers.map { trigger in
            trigger.attach(clock: clock) { [weak self] _ in self?.clear() }
        }
        watch.warnings = watch.attachments.compactMap { attachment in
            attachment.unavailable.map { .triggerUnavailable(name: $0.name, errno: $0.errno) }
        }
    }

    /// Ends the watch when there is nothing to clear.
    func endWatchIfEmpty() {
        guard !triggers.isEmpty else { return }
        let ended = watch.withLock { watch -> [Attachment] in
            guard watch.arriving == 0, contents.withLock({ $0.count }) == 0 else { return [] }
            defer { watch.attachments = [] }
            return watch.attachments
        }
        for attachment in ended { attachment.cancel() }
    }

    /// A sleep of the machine may be seen here before its own notice comes.
    private func clearIfDue() {
        guard !triggers.isEmpty else { return }
        let due = watch.withLock { watch in watch.attachments.filter { $0.isDue() } }
        guard !due.isEmpty else { return }
        clear()
        // After it: a thread that finds nothing due any more must not find what is still to be cleared.
        for attachment in due { attachment.restart() }
    }
}
