import Coffer
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct CacheSleepTests {
    /// A clock that tells when somebody begins to count sleep.
    private final class WatchedClock: VaultClock {
        let manual = ManualClock()
        let onRestart = Mutex<(@Sendable () -> Void)?>(nil)

        var now: Int64 { manual.now }
        var slept: Int64 { manual.slept }
        var sleptAtMost: Int64 {
            onRestart.withLock { $0 }?()
            return manual.sleptAtMost
        }
        func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp {
            try manual.wakeUp(at: deadline, body)
        }
    }

    @Test("a sleep counts as over only when all is cleared: till then another thread would get a value from before it")
    func order() throws {
        let clock = WatchedClock()
        let cache = MemoryCache(triggers: [.sleep], clock: clock)
        try cache.put("a", "value", lifetime: .seconds(1_000))
        clock.manual.sleep(for: .seconds(2))
        let left = Mutex<[Int]>([])
        clock.onRestart.withLock { $0 = { left.withLock { $0.append(cache.nonZeroCount) } } }
        #expect(cache.text("a") == nil)
        clock.onRestart.withLock { $0 = nil }
        #expect(left.withLock { $0 } == [0])
    }
}
