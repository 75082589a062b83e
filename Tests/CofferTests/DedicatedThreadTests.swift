import Coffer
import Synchronization
import Testing

@Suite struct DedicatedThreadTests {
    /// Counts itself while it lives.
    private final class Captured: Sendable {
        static let alive = Mutex(0)
        init() { Self.alive.withLock { $0 += 1 } }
        deinit { Self.alive.withLock { $0 -= 1 } }
        func touch() -> Int { 7 }
    }

    @Test("what a computation captured is let go before its result arrives")
    func captures() async {
        var late = 0
        for _ in 0..<300 {
            let result = await DedicatedThread.run(Self.computation())
            #expect(result == 7)
            if Captured.alive.withLock({ $0 }) != 0 { late += 1 }
        }
        #expect(late == 0)
    }

    private static func computation() -> @Sendable () -> Int {
        let captured = Captured()
        return { captured.touch() }
    }

    /// Counts itself while it lives.
    private final class Answer: Sendable {
        static let alive = Mutex(0)
        init() { Self.alive.withLock { $0 += 1 } }
        deinit { Self.alive.withLock { $0 -= 1 } }
        func touch() -> Int { 7 }
    }

    @Test("the thread keeps nothing of a result that has arrived: a key would outlive a lock that comes at once")
    func results() async {
        var late = 0
        for _ in 0..<2_000 {
            #expect(await Self.answer() == 7)
            if Answer.alive.withLock({ $0 }) != 0 { late += 1 }
        }
        #expect(late == 0)
    }

    private static func answer() async -> Int { await DedicatedThread.run { Answer() }.touch() }
}
