import Coffer
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct MemoryCacheUseTests {
    let clock = ManualClock()

    private func cache(maximumEntries: Int = 1_024) -> MemoryCache {
        MemoryCache(maximumEntries: maximumEntries, clock: clock)
    }

    @Test("a read inside a read works, and so does every change inside a read")
    func nesting() throws {
        let cache = cache()
        try cache.put("a", "outer")
        try cache.put("b", "inner")
        let seen = try cache.withBytes(of: "a") { outer in
            #expect(cache.withBytes(of: "b") { $0.byteCount } == 5)
            try cache.put("a", "newer value")
            try cache.put("c", "added")
            #expect(cache.remove("b"))
            // The lease lets this read end, and its bytes stand until then: 5 and 11 and 5.
            #expect(cache.nonZeroCount == 21)
            cache.removeAll()
            #expect(cache.nonZeroCount == 5)
            #expect(cache.count == 0)
            try cache.put("d", "x")
            return outer.array
        }
        #expect(seen == Array("outer".utf8))
        #expect(cache.nonZeroCount == 1)
    }

    @Test("a value that expires during a read is given out no more, and is zeroed when the read ends")
    func expiryDuringRead() throws {
        let cache = cache()
        try cache.put("a", "value")
        cache.withBytes(of: "a") { bytes in
            clock.advance(by: .seconds(60))
            #expect(cache.text("a") == nil)
            #expect(bytes.array == Array("value".utf8))
        }
        #expect(cache.nonZeroCount == 0)
    }

    @Test("what a closure throws arrives, and the value stays")
    func throwing() throws {
        struct Refusal: Error {}
        let cache = cache()
        try cache.put("a", "value")
        #expect(throws: Refusal.self) { try cache.withBytes(of: "a") { _ in throw Refusal() } }
        #expect(cache.text("a") == "value")
    }

    @Test("a copy outlives the value, and a cache that is let go zeroes all and leaves no wake-up")
    func end() throws {
        var cache: MemoryCache? = cache()
        try cache?.put("a", "value")
        let copy = try cache?.secret(for: "a")
        #expect(try cache?.secret(for: "b") == nil)
        weak let weakly = cache
        #expect(clock.deadlines.count == 1)
        #expect(cache?.memoryProtection?.isWipedOnFork == true)
        cache = nil
        #expect(weakly == nil)
        #expect(clock.deadlines == [])
        switch consume copy {
        case .some(let copy):
            let isEqual = try copy.isEqual(to: Secret.text("value"))
            #expect(isEqual)
        case .none: Issue.record("there was no copy")
        }
    }

    @Test("each trigger clears the cache, also one that was emptied and filled again")
    func triggers() throws {
        let (first, second) = (LockSignal(), LockSignal())
        let cache = MemoryCache(triggers: [.custom(first), .sleep, .custom(second)], clock: clock)
        #expect(cache.warnings == [])
        for signal in [first, second] {
            try cache.put("a", "value")
            cache.withBytes(of: "a") { bytes in
                signal.fire()
                #expect(cache.count == 0)
                #expect(bytes.array == Array("value".utf8))
            }
            #expect(cache.nonZeroCount == 0)
        }
        // A sleep is seen at the next access, however long the values would have lived.
        try cache.put("a", "value", lifetime: .seconds(1_000))
        clock.sleep(for: .seconds(2))
        #expect(cache.text("a") == nil)
        try cache.put("a", "value", lifetime: .seconds(1_000))
        #expect(cache.text("a") == "value")
        // A signal of an empty cache is over when it is filled again; the next one counts.
        cache.remove("a")
        first.fire()
        try cache.put("a", "value")
        #expect(cache.text("a") == "value")
        second.fire()
        #expect(cache.text("a") == nil)
        #expect(cache.nonZeroCount == 0)
    }

    @Test("a trigger that does not work here is told")
    func unavailable() throws {
        let cache = MemoryCache(triggers: [.signal(SIGKILL)], clock: clock)
        try cache.put("a", "value")
        #expect(cache.text("a") == "value")
        #expect(cache.warnings.count == 1)
        cache.removeAll()
        #expect(cache.warnings.count == 1)
    }

    @Test("a value that is on its way when all are removed is not kept")
    func clearDuringSet() throws {
        let clock = InterruptingClock()
        let cache = MemoryCache(clock: clock)
        try cache.put("a", "value")
        // The first time is asked for before the bytes are stored, the second one after.
        clock.interrupt(at: 2) { cache.removeAll() }
        try cache.put("b", "value")
        #expect(clock.isDone)
        #expect(cache.count == 0)
        #expect(cache.nonZeroCount == 0)
        try cache.put("c", "value")
        #expect(cache.text("c") == "value")
    }

    /// Runs a closure when the time is asked for once more.
    private final class InterruptingClock: VaultClock {
        private let manual = ManualClock()
        private let next = Mutex<(left: Int, body: @Sendable () -> Void)?>(nil)

        func interrupt(at count: Int, _ body: @escaping @Sendable () -> Void) { next.withLock { $0 = (count, body) } }
        var isDone: Bool { next.withLock { $0 == nil } }
        var slept: Int64 { manual.slept }
        var sleptAtMost: Int64 { manual.sleptAtMost }

        var now: Int64 {
            let due = next.withLock { next -> (@Sendable () -> Void)? in
                next?.left -= 1
                guard next?.left == 0 else { return nil }
                defer { next = nil }
                return next?.body
            }
            due?()
            return manual.now
        }

        func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> any WakeUp {
            try manual.wakeUp(at: deadline, body)
        }
    }

    @Test("a forked child finds the cache empty and can use it, also when a thread used it at that moment")
    func fork() async {
        // In a process of its own, where no other test holds a lock of the runtime at the moment of the fork.
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache()
            let old = try Secret.text("made before the fork")
            #expect(Self.use(cache) == 0)
            try cache.put("kept", "value")
            let isDone = Mutex(false)
            let threads = (0..<2).map { _ in
                let thread = Thread {
                    while !isDone.withLock({ $0 }) {
                        try? cache.put("changing", "1234", lifetime: .milliseconds(1))
                        cache.remove("changing")
                    }
                }
                thread.start()
                return thread
            }
            for _ in 0..<50 {
                let status = try Child.status {
                    guard cache.memoryProtection == nil, cache.count == 0, cache.statistics.hits == 0 else {
                        return 101
                    }
                    guard cache.text("kept") == nil else { return 102 }
                    do throws(VaultError) {
                        try cache.set("old", to: old)
                        return 103
                    } catch {
                        guard case .refused = error else { return 104 }
                    }
                    return Self.use(cache)
                }
                #expect(status == 0)
            }
            isDone.withLock { $0 = true }
            #expect(BackgroundLoopTests.eventually { threads.allSatisfy(\.isFinished) })
            #expect(cache.text("kept") == "value")
        }
    }

    /// Sets, reads, waits for the timer and clears; 0 when all of it works. A forked child can do this too.
    static func use(_ cache: MemoryCache) -> Int32 {
        guard (try? cache.put("new", "value", lifetime: .milliseconds(1))) != nil else { return 1 }
        while cache.nonZeroCount != 0 { usleep(1_000) }
        guard (try? cache.put("new", "value")) != nil, cache.text("new") == "value" else { return 2 }
        cache.removeAll()
        return cache.nonZeroCount == 0 && cache.count == 0 ? 0 : 3
    }

    @Test("a child that lets a cache go frees nothing of its parent's, also in the middle of a read")
    func forkDuringRead() throws {
        let holder = Mutex<MemoryCache?>(cache())
        try holder.withLock { $0 }?.put("a", "value")
        let status = try holder.withLock { $0 }?.withBytes(of: "a") { bytes in
            try Child.status {
                holder.withLock { $0 = nil }
                return bytes.array.allSatisfy { $0 == 0 } ? 0 : 1
            }
        }
        #expect(status == 0)
        #expect(holder.withLock { $0 }?.text("a") == "value")
    }

    @Test("without memory a value is refused, and what was there stays")
    func noMemory() async {
        // The limit holds for the whole process.
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache(clock: ManualClock())
            try cache.put("a", "value")
            let large = try Secret.random(count: 1 << 20)
            // Pages that were kept for their next use would be used now: so many there are at most.
            let first = try Secret.random(count: 1)
            let second = try Secret.random(count: 1)
            let third = try Secret.random(count: 1)
            let fourth = try Secret.random(count: 1)
            #expect(BackgroundLoopTests.limit(RLIMIT_AS, to: 1))
            let errors = [
                Self.failure { () throws(VaultError) in try cache.set("a", to: large) },
                Self.failure { () throws(VaultError) in _ = try cache.secret(for: "a") },
            ]
            let (text, count) = (cache.text("a"), cache.nonZeroCount)
            #expect(BackgroundLoopTests.limit(RLIMIT_AS, to: .max))
            #expect(errors == [.notEnoughMemory(memoryKiB: nil), .notEnoughMemory(memoryKiB: nil)])
            #expect(text == "value")
            #expect(count == 5)
            _ = (first.count, second.count, third.count, fourth.count)
        }
    }

    static func failure(_ body: () throws(VaultError) -> Void) -> VaultError? {
        do throws(VaultError) {
            try body()
            return nil
        } catch { return error }
    }

    @Test("16 threads that set, read, remove and clear at once never read a value that nobody set")
    func threads() throws {
        let cache = cache(maximumEntries: 20)
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            var random = SystemRandomNumberGenerator()
            for _ in 0..<400 {
                let number = Int.random(in: 0..<30, using: &random)
                let name = "name \(number)"
                switch Int.random(in: 0..<16, using: &random) {
                case 0..<6: try? cache.put(name, String(repeating: "\(number % 10)", count: 1 + number))
                case 6..<12:
                    let isRight = cache.withBytes(of: name) { bytes in
                        let digit = UInt8(ascii: "0") + UInt8(number % 10)
                        return bytes.byteCount == 1 + number && bytes.array.allSatisfy { $0 == digit }
                    }
                    if isRight == false { wrong.withLock { $0 += 1 } }
                case 12: cache.remove(name)
                case 13: clock.advance(by: .milliseconds(500))
                case 14 where thread == 0: cache.removeAll()
                default: if cache.count > 20 { wrong.withLock { $0 += 1 } }
                }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        clock.advance(by: .seconds(60))
        #expect(cache.nonZeroCount == 0)
    }
}
