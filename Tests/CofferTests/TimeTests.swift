import Coffer
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct TimeTests {
    @Test("deadlines pass by age, and by idleness unless there is a use")
    func deadlines() {
        var both = Deadlines(idle: .seconds(10), maximumAge: .seconds(25), at: 0)
        #expect(both.next == 10_000_000_000)
        #expect(!both.hasPassed(at: 9_999_999_999))
        #expect(both.hasPassed(at: 10_000_000_000))
        both.use(at: 8_000_000_000)
        #expect(both.next == 18_000_000_000)
        // An older time of another thread takes nothing back.
        both.use(at: 1_000_000_000)
        #expect(both.next == 18_000_000_000)
        both.use(at: 17_000_000_000)
        #expect(both.next == 25_000_000_000)
        both.use(at: 25_000_000_000)
        #expect(both.hasPassed(at: 25_000_000_000))

        var passed = Deadlines(idle: .seconds(10), maximumAge: nil, at: 0)
        passed.use(at: 10_000_000_000)
        #expect(passed.hasPassed(at: 10_000_000_000))
    }

    @Test(
        "a time of 0 or less has passed at once, and one without end never does",
        arguments: [
            (Duration.zero, true), (.seconds(-5), true), (.seconds(Int64.min), true), (.seconds(Int64.max), false),
            (nil, false),
        ])
    func extremes(time: Duration?, passes: Bool) {
        let now: Int64 = .max - 1_000
        let both = [Deadlines(idle: time, maximumAge: nil, at: now), Deadlines(idle: nil, maximumAge: time, at: now)]
        for deadlines in both {
            #expect(deadlines.hasPassed(at: now) == passes)
            #expect((deadlines.next == nil) == !passes)
        }
    }

    @Test("what is held is given until its deadlines, and looking at it does not extend them")
    func held() {
        var held = Held("value", until: Deadlines(idle: .nanoseconds(10), maximumAge: nil, at: 0))
        #expect(held.value(at: 9) == "value")
        #expect(held.use(at: 5) == "value")
        #expect(held.value(at: 14) == "value")
        #expect(held.deadlines.next == 15)
        #expect(held.value(at: 15) == nil)
        #expect(held.use(at: 15) == nil)
        #expect(held.use(at: 14) == "value")
    }

    /// Counts what a timer does, and says when it is due next.
    final class Expiry: Sendable {
        let next = Mutex<Int64?>(nil)
        let runs = Mutex<[Int64]>([])

        func timer(_ clock: any VaultClock) -> LazyTimer {
            LazyTimer(clock: clock) { now in
                self.runs.withLock { $0.append(now) }
                return self.next.withLock { $0 }
            }
        }
    }

    @Test("a timer keeps one wake-up, the earliest, and goes on with what is due next")
    func lazyTimer() {
        let clock = ManualClock()
        let start = clock.now
        let expiry = Expiry()
        let timer = expiry.timer(clock)
        #expect(timer.ensure(by: nil))
        #expect(clock.deadlines == [])
        timer.ensure(by: start + 100)
        timer.ensure(by: start + 200)
        #expect(clock.deadlines == [start + 100])
        timer.ensure(by: start + 50)
        #expect(clock.deadlines == [start + 50])
        expiry.next.withLock { $0 = start + 70 }
        clock.advance(by: .nanoseconds(60))
        #expect(expiry.runs.withLock { $0 } == [start + 50])
        #expect(clock.deadlines == [start + 70])
        expiry.next.withLock { $0 = nil }
        clock.advance(by: .nanoseconds(1_000))
        #expect(expiry.runs.withLock { $0 } == [start + 50, start + 70])
        #expect(clock.deadlines == [])

        timer.ensure(by: clock.now + 5)
        timer.cancel()
        #expect(clock.deadlines == [])
        timer.ensure(by: clock.now + 5)
        clock.advance(by: .nanoseconds(5))
        #expect(expiry.runs.withLock { $0.count } == 3)
    }

    @Test("a timer that is let go leaves no wake-up, and one that the system refuses is tried again")
    func timerEnds() {
        let clock = ManualClock()
        let expiry = Expiry()
        do {
            let timer = expiry.timer(clock)
            timer.ensure(by: clock.now + 5)
            #expect(clock.deadlines.count == 1)
        }
        #expect(clock.deadlines == [])
        let timer = expiry.timer(clock)
        clock.fail(with: Errno(code: 11))
        #expect(!timer.ensure(by: clock.now + 5))
        clock.fail(with: nil)
        #expect(timer.ensure(by: clock.now + 5))
        #expect(clock.deadlines == [clock.now + 5])
    }

    @Test("the clock of the machine goes forward, and knows how long it slept within narrow bounds")
    func systemClock() {
        let clock = SystemClock()
        let (before, most) = (clock.now, clock.sleptAtMost)
        for _ in 0..<1_000 { #expect(clock.slept <= most) }
        #expect(clock.now > before)
        #expect(clock.sleptAtMost >= clock.slept)
    }

    @Test("a manual clock that sleeps counts the sleep, and runs what became due when it is over")
    func manualClock() throws {
        let clock = ManualClock()
        let start = (now: clock.now, slept: clock.slept)
        let seen = Mutex<[Int64]>([])
        let first = try clock.wakeUp(at: start.now + 10) { seen.withLock { $0.append(clock.now) } }
        let second = try clock.wakeUp(at: start.now + 30) { seen.withLock { $0.append(clock.now) } }
        clock.advance(by: .nanoseconds(20))
        clock.sleep(for: .nanoseconds(80))
        #expect(seen.withLock { $0 } == [start.now + 10, start.now + 100])
        #expect(clock.slept == start.slept + 80)
        withExtendedLifetime((first, second)) {}
    }
}
