import CSystem
import Glibc
import SecureMemory
import TestSupport
import Testing

@Suite struct SecureMemoryTests {
    @Test("an arena keeps its bytes and places while it grows, and wipes what it gives up")
    func arena() throws {
        var arena = try GuardedArena(capacity: 1)
        var model: [UInt8] = []
        for index in 0..<5_000 {
            try arena.append(UInt8(truncatingIfNeeded: index))
            model.append(UInt8(truncatingIfNeeded: index))
        }
        let text: [UInt8] = Array("text".utf8)
        let range = try arena.append(text.rawSpan)
        try arena.append(literal: "literal")
        arena.overwrite(text.rawSpan, at: 0)
        let bytes = arena.bytes.array
        #expect(range == 5_000..<5_004)
        #expect(bytes == text + model[4...] + text + Array("literal".utf8))
        arena.truncate(to: 2)
        let after = arena.bytes.array
        #expect(after == Array("te".utf8))
        #expect(throws: SecureMemoryError.outOfMemory) { try arena.reserve(.max) }
    }

    @Test("comparisons see every difference")
    func comparison() throws {
        let base = [UInt8](repeating: 7, count: 40)
        #expect(Self.compare(base, base) == (true, true))
        for index in base.indices {
            var other = base
            other[index] ^= 1
            #expect(Self.compare(base, other) == (false, false))
        }
        #expect(Self.compare(base, base.dropLast()) == (false, false))
        #expect(Self.compare([], []) == (true, true))
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> (Bool, Bool) {
        (left.rawSpan.equalsInConstantTime(right.rawSpan), left.rawSpan.equals(right.rawSpan))
    }

    @Test("random bytes are drawn anew")
    func random() throws {
        let first = try GuardedBuffer(randomCount: 32)
        let second = try GuardedBuffer(randomCount: 32)
        let (one, two) = (first.bytes.array, second.bytes.array)
        #expect(one != two)
    }

    @Test("memory that cannot be locked works, and says so")
    func lockLimit() async {
        await #expect(processExitsWith: .success) {
            // Root is not bound by the limit, so it becomes somebody else first.
            var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
            guard unsafe setrlimit(__rlimit_resource_t(8 /* RLIMIT_MEMLOCK */), &limit) == 0 else { exit(2) }
            if geteuid() == 0 { guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) } }
            let buffer = try GuardedBuffer(count: 100_000)
            let secret = Secret(buffer)
            let protection = secret.memoryProtection
            exit(protection.isLocked ? 4 : protection.isWipedOnFork ? 0 : 5)
        }
    }

    @Test("hardening takes the dumpable flag, the core limit and the crash handlers, and only when it is called")
    func hardening() async {
        await #expect(processExitsWith: .success) {
            guard cs_get_dumpable() == 1 else { exit(2) }
            guard ProcessHardening.apply() == [] else { exit(3) }
            guard cs_get_dumpable() == 0 else { exit(4) }
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            guard limit.rlim_cur == 0, limit.rlim_max == .max || limit.rlim_max > 0 else { exit(5) }
            for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE] {
                var action = sigaction()
                guard unsafe sigaction(number, nil, &action) == 0,
                    unsafe action.__sigaction_handler.sa_handler == nil
                else { exit(6) }
            }
            exit(0)
        }
    }

    @Test("a forked child reads zeros, and frees nothing of its parent's")
    func fork() throws {
        let buffer = try GuardedBuffer(copying: [UInt8](repeating: 0xA5, count: 5_000).rawSpan)
        let status = try Child.status {
            guard buffer.isForeign else { return 1 }
            let sum = buffer.bytes.array.reduce(0) { $0 | $1 }
            guard sum == 0 else { return 2 }
            // Makes a buffer of the child's own and lets go of it.
            guard let own = try? GuardedBuffer(randomCount: 64), !own.isForeign else { return 3 }
            return 0
        }
        let stillThere = buffer.bytes[4_999]
        #expect(status == 0)
        #expect(stillThere == 0xA5)
    }
}
