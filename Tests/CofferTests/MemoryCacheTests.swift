import Coffer
import Glibc
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct MemoryCacheTests {
    let clock = ManualClock()

    private func cache(
        lifetime: Duration = .seconds(60), maximumBytes: Int = 1 << 20, maximumEntries: Int = 1_024
    ) -> MemoryCache {
        MemoryCache(
            lifetime: lifetime, maximumBytes: maximumBytes, maximumEntries: maximumEntries, clock: clock)
    }

    @Test("a memory cache: values live a short time, a new value restarts its clock, and all can be dropped at once")
    func memoryCache() throws {
        let cache = cache()
        try cache.put("token", "first")
        #expect(cache.text("token") == "first")
        clock.advance(by: .seconds(59))
        #expect(cache.text("token") == "first")
        try cache.put("token", "second")
        clock.advance(by: .seconds(59))
        #expect(cache.text("token") == "second")
        clock.advance(by: .seconds(1))
        #expect(cache.text("token") == nil)
        #expect(cache.nonZeroCount == 0)

        // A lifetime per value, also counted while the machine sleeps.
        try cache.put("short", "value", lifetime: .seconds(5))
        try cache.put("long", "value", lifetime: .seconds(500))
        clock.sleep(for: .seconds(5))
        #expect(cache.text("short") == nil)
        #expect(cache.text("long") == "value")

        try cache.put("other", "value")
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.nonZeroCount == 0)
        #expect(cache.text("long") == nil)
    }

    @Test("a value that nobody reads is zeroed by the timer, and its neighbours stay")
    func timer() throws {
        let cache = cache()
        try cache.put("first", "1234567", lifetime: .seconds(1))
        try cache.put("second", "12345", lifetime: .seconds(3))
        try cache.put("third", "123", lifetime: .seconds(2))
        #expect(cache.nonZeroCount == 15)
        #expect(clock.deadlines.count == 1)
        clock.advance(by: .seconds(1))
        #expect(cache.nonZeroCount == 8)
        clock.advance(by: .seconds(1))
        #expect(cache.nonZeroCount == 5)
        clock.advance(by: .seconds(1))
        #expect(cache.nonZeroCount == 0)
        #expect(cache.memoryProtection == nil)
        #expect(clock.deadlines == [])
    }

    @Test("without a timer, what has expired is zeroed when anything is asked for")
    func withoutTimer() throws {
        let cache = cache()
        clock.fail(with: .outOfMemory)
        try cache.put("first", "1234567", lifetime: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(cache.nonZeroCount == 7)
        #expect(cache.count == 0)
        #expect(cache.nonZeroCount == 0)
        clock.fail(with: nil)
        try cache.put("second", "1234567")
        #expect(clock.deadlines.count == 1)
    }

    @Test(
        "a lifetime of 0 or less keeps nothing, and one without end keeps the value",
        arguments: [(Duration.zero, false), (.seconds(-1), false), (.seconds(Int64.max), true)])
    func lifetimes(lifetime: Duration, keeps: Bool) throws {
        let cache = cache()
        try cache.put("name", "before")
        try cache.put("name", "value", lifetime: lifetime)
        clock.advance(by: .seconds(3_000_000_000))
        #expect(cache.text("name") == (keeps ? "value" : nil))
        #expect(cache.nonZeroCount == (keeps ? 5 : 0))
        let byDefault = self.cache(lifetime: lifetime)
        try byDefault.put("name", "value")
        #expect(byDefault.count == (keeps ? 1 : 0))
    }

    @Test("names are any text, and compared by their bytes")
    func names() throws {
        let cache = cache()
        let names = ["", "\u{E9}", "e\u{301}", "a\u{0}b", String(repeating: "x", count: 1_024)]
        for (index, name) in names.enumerated() { try cache.put(name, "value \(index)") }
        for (index, name) in names.enumerated() { #expect(cache.text(name) == "value \(index)") }
        let long = String(repeating: "x", count: 1_025)
        #expect(throws: VaultError.limitExceeded(field: "name", value: 1_025, bound: 1_024)) {
            try cache.put(long, "value")
        }
        #expect(cache.text(long) == nil)
        #expect(!cache.remove(long))
        #expect(cache.remove("\u{E9}"))
        #expect(!cache.remove("\u{E9}"))
        #expect(cache.text("e\u{301}") == "value 2")
    }

    @Test("when a limit is reached, what would expire first makes room")
    func eviction() throws {
        let few = cache(maximumEntries: 3)
        try few.put("a", "1")
        try few.put("soon", "1", lifetime: .seconds(10))
        try few.put("never", "1", lifetime: .seconds(Int64.max))
        try few.put("b", "1")
        #expect(few.names(of: ["a", "soon", "never", "b"]) == ["a", "never", "b"])
        try few.put("a", "2")
        try few.put("c", "1")
        // Set again, a is younger than b.
        #expect(few.names(of: ["a", "never", "b", "c"]) == ["a", "never", "c"])
        #expect(few.count == 3)

        let small = cache(maximumBytes: 10)
        try small.put("a", "1234")
        try small.put("b", "1234")
        try small.put("c", "12")
        #expect(small.byteCount == 10)
        try small.put("b", "123456")
        #expect(small.names(of: ["a", "b", "c"]) == ["b", "c"])
        try small.put("d", "1234567890")
        #expect(small.names(of: ["a", "b", "c", "d"]) == ["d"])
        #expect(small.nonZeroCount == 10)
        #expect(throws: VaultError.limitExceeded(field: "cached bytes", value: 11, bound: 10)) {
            try small.put("d", "12345678901")
        }
        #expect(small.text("d") == "1234567890")
        #expect(throws: VaultError.limitExceeded(field: "cached values", value: 1, bound: 0)) {
            try cache(maximumEntries: -1).put("a", "")
        }
    }

    @Test("what has expired makes room before anything else does")
    func expiredFirst() throws {
        let cache = cache(maximumEntries: 2)
        clock.fail(with: .outOfMemory)
        try cache.put("a", "1", lifetime: .seconds(5))
        try cache.put("b", "1")
        clock.advance(by: .seconds(5))
        try cache.put("c", "1")
        #expect(cache.names(of: ["a", "b", "c"]) == ["b", "c"])
    }

    @Test("hits and misses are counted, and asking for them counts and extends nothing")
    func statistics() throws {
        let cache = cache()
        #expect(cache.text("token") == nil)
        try cache.put("token", "1234")
        #expect(cache.text("token") == "1234")
        #expect(try cache.secret(for: "token")?.count == 4)
        clock.advance(by: .seconds(30))
        for _ in 0..<3 {
            #expect(cache.statistics.hits == 2)
            #expect(cache.statistics.misses == 1)
            #expect(cache.count == 1)
            #expect(cache.byteCount == 4)
        }
        clock.fail(with: .outOfMemory)
        clock.advance(by: .seconds(30))
        #expect(cache.count == 0)
        #expect(cache.byteCount == 0)
        #expect(cache.text("token") == nil)
        cache.removeAll()
        #expect(cache.statistics.hits == 2)
        #expect(cache.statistics.misses == 2)
    }

    @Test("a name that is set again and again takes no more room")
    func setAgain() throws {
        let cache = cache()
        for index in 0..<2_000 { try cache.put("name \(index % 3)", "value") }
        #expect(cache.count == 3)
        #expect(cache.byteCount == 15)
        #expect(cache.nonZeroCount == 15)
        clock.advance(by: .seconds(60))
        #expect(cache.nonZeroCount == 0)
    }
}

extension MemoryCache {
    func put(_ name: String, _ text: String, lifetime: Duration? = nil) throws(VaultError) {
        let secret = try Secret(copying: text.utf8)
        try set(name, to: secret, lifetime: lifetime)
    }

    func text(_ name: String) -> String? {
        withBytes(of: name) { bytes in String(decoding: (0..<bytes.byteCount).map { bytes[$0] }, as: UTF8.self) }
    }

    func names(of names: [String]) -> [String] { names.filter { text($0) != nil } }
}
