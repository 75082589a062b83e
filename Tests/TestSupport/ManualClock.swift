package import Coffer
internal import Synchronization
package import VaultFile

/// A clock that stands still until a test moves it. Wake-ups run on the thread that does.
package final class ManualClock: VaultClock {
    private struct State {
        var now: Int64 = 1_000_000_000_000
        var slept: Int64 = 5_000_000_000
        var last: UInt64 = 0
        var wakeUps: [UInt64: (deadline: Int64, body: @Sendable () -> Void)] = [:]
        var failure: Errno?
    }

    private final class Pending: WakeUp {
        private let clock: ManualClock
        private let number: UInt64

        init(_ clock: ManualClock, _ number: UInt64) { (self.clock, self.number) = (clock, number) }
        deinit { cancel() }
        func cancel() { _ = clock.state.withLock { $0.wakeUps.removeValue(forKey: number)?.body } }
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Int64 { state.withLock { $0.now } }
    package var slept: Int64 { state.withLock { $0.slept } }
    package var sleptAtMost: Int64 { slept }

    /// The deadlines of all wake-ups that are pending, the earliest first.
    package var deadlines: [Int64] { state.withLock { $0.wakeUps.values.map(\.deadline).sorted() } }

    /// Has each wake-up refused from here on, or none.
    package func fail(with failure: Errno?) { state.withLock { $0.failure = failure } }

    package func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp {
        let number = try state.withLock { (state) throws(Errno) in
            if let failure = state.failure { throw failure }
            state.last += 1
            state.wakeUps[state.last] = (deadline, body)
            return state.last
        }
        return Pending(self, number)
    }

    /// Lets time pass with the machine awake: each wake-up runs at its own time.
    package func advance(by time: Duration) {
        let end = now + Self.nanoseconds(time)
        while let body = takeNext(until: end) { body() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Lets time pass with the machine asleep: what became due runs when it is over.
    package func sleep(for time: Duration) {
        state.withLock { state in
            state.now += Self.nanoseconds(time)
            state.slept += Self.nanoseconds(time)
        }
        advance(by: .zero)
    }

    private func takeNext(until end: Int64) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.wakeUps.min(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }),
                next.value.deadline <= end
            else { return nil }
            state.now = max(state.now, next.value.deadline)
            return state.wakeUps.removeValue(forKey: next.key)?.body
        }
    }

    private static func nanoseconds(_ time: Duration) -> Int64 {
        time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    }
}
