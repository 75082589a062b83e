import Coffer
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct AutoLockTests {
    static let minute = Duration.seconds(60)

    /// An unlocked vault with a time of its own.
    static func vault(
        _ autoLock: AutoLock, clock: any VaultClock, place: TemporaryVault? = nil
    ) throws -> Vault {
        let place = try place ?? TemporaryVault()
        let vault = Vault(at: .file(place.path), autoLock: autoLock, surroundings: .with(clock: clock))
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        return vault
    }

    @Test("without deadlines a vault stays unlocked for years")
    func never() throws {
        let clock = ManualClock()
        let vault = try Self.vault(.never, clock: clock)
        clock.advance(by: .seconds(100 * 365 * 86_400))
        #expect(try vault[.retries] == 3)
    }

    @Test("a read, an update and a question for names extend the idle deadline, a question for the state does not")
    func idle() throws {
        let clock = ManualClock()
        let vault = try Self.vault(AutoLock(idle: Self.minute), clock: clock)
        let uses: [(String, () throws -> Void)] = [
            ("read", { _ = try vault[.retries] }), ("names", { _ = try vault.names() }),
            ("contains", { _ = try vault.contains("x") }), ("update", { try vault.update { _ in } }),
            ("secret", { try vault.set(.password, "secret") }), ("bytes", { _ = try vault.text(of: .password) }),
        ]
        for (name, use) in uses {
            clock.advance(by: .seconds(59))
            #expect(throws: Never.self, "\(name)") { try use() }
        }
        clock.advance(by: .seconds(59))
        _ = (vault.isUnlocked, vault.lockState, vault.warnings, vault.memoryProtection)
        #expect(vault.isUnlocked)
        clock.advance(by: .seconds(1))
        #expect(vault.lockState == .locked)
        #expect(vault.memoryProtection == nil)
        #expect(throws: VaultError.locked) { try vault[.retries] }
    }

    @Test("the maximum age counts from the unlock, whatever is read meanwhile")
    func maximumAge() throws {
        let clock = ManualClock()
        let vault = try Self.vault(AutoLock(maximumAge: Self.minute), clock: clock)
        for _ in 0..<5 {
            clock.advance(by: .seconds(10))
            _ = try vault[.retries]
        }
        clock.advance(by: .seconds(10))
        #expect(throws: VaultError.locked) { try vault[.retries] }
        // An unlock begins it anew, also of a vault that is unlocked.
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        clock.advance(by: .seconds(59))
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        clock.advance(by: .seconds(59))
        #expect(try vault[.retries] == 3)
        clock.advance(by: .seconds(1))
        #expect(!vault.isUnlocked)
    }

    @Test("a save extends the idle deadline, and never the maximum age")
    func saves() throws {
        let clock = ManualClock()
        let vault = try Self.vault(AutoLock(idle: .seconds(20), maximumAge: Self.minute), clock: clock)
        for number in 0..<5 {
            clock.advance(by: .seconds(11))
            try vault.update { draft in draft.set(.retries, to: number) }
        }
        clock.advance(by: .seconds(5))
        #expect(throws: VaultError.locked) { try vault[.retries] }
    }

    @Test("a created vault has its deadlines too")
    func created() throws {
        let clock = ManualClock()
        let place = try TemporaryVault(create: false)
        let vault = Vault(
            at: .file(place.path), autoLock: AutoLock(idle: Self.minute), surroundings: .with(clock: clock))
        try vault.create(passphrase: Secret.text("x"), derivation: TemporaryVault.cheap)
        #expect(vault.isUnlocked)
        clock.advance(by: Self.minute)
        #expect(throws: VaultError.locked) { try vault[.retries] }
    }

    @Test("a deadline that has passed counts at the access, also if no timer ever comes")
    func withoutTimer() throws {
        let clock = DeafClock()
        let vault = try Self.vault(AutoLock(idle: Self.minute), clock: clock)
        clock.time.withLock { $0 += 59_999_999_999 }
        #expect(vault.isUnlocked)
        clock.time.withLock { $0 += 1 }
        #expect(!vault.isUnlocked)
        #expect(throws: VaultError.locked) { try vault.set(.password, "lost") }
    }

    @Test("the timer locks without an access, and says so to observers")
    func timer() async throws {
        let clock = ManualClock()
        let vault = try Self.vault(AutoLock(idle: Self.minute), clock: clock)
        var events = vault.events().makeAsyncIterator()
        clock.advance(by: .seconds(30))
        _ = try vault[.retries]
        clock.advance(by: .seconds(59))
        clock.advance(by: .seconds(1))
        #expect(await events.next() == .lockState(.locked))
    }

    @Test("deadlines of nothing and below lock at once", arguments: [Duration.zero, .seconds(-5)])
    func nothing(deadline: Duration) throws {
        let place = try TemporaryVault()
        for autoLock in [AutoLock(idle: deadline), AutoLock(maximumAge: deadline)] {
            let vault = try Self.vault(autoLock, clock: ManualClock(), place: place)
            #expect(throws: VaultError.locked) { try vault[.retries] }
        }
        let long = try Self.vault(AutoLock(idle: .seconds(Int64.max)), clock: ManualClock(), place: place)
        #expect(try long[.retries] == 3)
    }

    @Test("sleep of the machine counts towards deadlines, and locks by itself where that is asked for")
    func sleep() throws {
        let clock = ManualClock()
        let idle = try Self.vault(AutoLock(idle: Self.minute), clock: clock)
        let sleeper = try Self.vault(AutoLock(triggers: [.sleep]), clock: clock)
        let steady = try Self.vault(.never, clock: clock)
        clock.sleep(for: .seconds(59))
        #expect(idle.isUnlocked)
        #expect(!sleeper.isUnlocked)
        #expect(throws: VaultError.locked) { try sleeper[.retries] }
        clock.sleep(for: .seconds(1))
        #expect(throws: VaultError.locked) { try idle[.retries] }
        #expect(try steady[.retries] == 3)
        // What it slept before does not count for the next unlock.
        try sleeper.unlock(Secret.text(TemporaryVault.passphrase))
        clock.advance(by: .seconds(3_600))
        #expect(try sleeper[.retries] == 3)
    }

    @Test("an app's own signal locks every vault that listens before it returns")
    func signal() throws {
        let signal = LockSignal()
        let vaults = try (0..<3).map { _ in
            try Self.vault(AutoLock(triggers: [.custom(signal)]), clock: ManualClock())
        }
        let other = try Self.vault(.never, clock: ManualClock())
        signal.fire()
        #expect(vaults.allSatisfy { !$0.isUnlocked })
        #expect(other.isUnlocked)
        try vaults[0].unlock(Secret.text(TemporaryVault.passphrase))
        #expect(vaults[0].isUnlocked)
        signal.fire()
        #expect(!vaults[0].isUnlocked)
    }

    @Test("a signal during an unlock wins; a deadline of the unlock before does not")
    func duringUnlock() throws {
        let (signal, clock) = (LockSignal(), ManualClock())
        let place = try TemporaryVault()
        let between = Mutex<(@Sendable () -> Void)?>(nil)
        var surroundings = VaultSurroundings(
            system: FaultingSystemCalls(before: { call in
                if call == .close { between.withLock { $0.take() }?() }
            }))
        surroundings.clock = clock
        let vault = Vault(
            at: .file(place.path), autoLock: AutoLock(idle: Self.minute, triggers: [.custom(signal)]),
            surroundings: surroundings)
        between.withLock { $0 = { signal.fire() } }
        #expect(throws: VaultError.locked) { try vault.unlock(Secret.text(TemporaryVault.passphrase)) }
        #expect(!vault.isUnlocked)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        between.withLock { $0 = { clock.advance(by: Self.minute) } }
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        #expect(try vault[.retries] == 3)
    }

    @Test("a read that has begun ends, and a save that has begun stands, when the deadline passes meanwhile")
    func meanwhile() throws {
        let clock = ManualClock()
        let place = try TemporaryVault()
        let vault = try Self.vault(AutoLock(idle: Self.minute), clock: clock, place: place)
        try vault.set(.password, "hunter2")
        try vault.withBytes(of: .password) { bytes in
            clock.advance(by: Self.minute)
            #expect(throws: VaultError.locked) { try vault[.retries] }
            #expect(bytes.array == Array("hunter2".utf8))
        }
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        try vault.update { draft in
            draft.set(.retries, to: 9)
            clock.advance(by: Self.minute)
        }
        #expect(!vault.isUnlocked)
        #expect(try place.unlocked()[.retries] == 9)
    }

    @Test("a system that gives no timer is warned of, and the deadline counts at the next access")
    func noTimer() throws {
        let clock = ManualClock()
        clock.fail(with: Errno(code: 11))
        let vault = try Self.vault(AutoLock(idle: Self.minute), clock: clock)
        #expect(vault.warnings.contains(.timerUnavailable))
        clock.advance(by: Self.minute)
        #expect(throws: VaultError.locked) { try vault[.retries] }
        let steady = try Self.vault(.never, clock: clock)
        #expect(!steady.warnings.contains(.timerUnavailable))
    }

    @Test("a trigger that this system does not have is a warning, and no failure")
    func unavailable() throws {
        let vault = try Self.vault(AutoLock(triggers: [.signal(9)]), clock: ManualClock())
        #expect(vault.isUnlocked)
        let names = vault.warnings.compactMap {
            if case .triggerUnavailable(let name, _) = $0 { name } else { nil }
        }
        #expect(names.count == 1)
        // A save keeps the warning, and so does a read that decrypts the file again.
        try vault.set(.password, "x")
        #expect(vault.warnings.contains { if case .triggerUnavailable = $0 { true } else { false } })
        vault.dropCopy()
        #expect(try vault[.retries] == 3)
        #expect(vault.warnings.contains { if case .triggerUnavailable = $0 { true } else { false } })
    }

    /// A clock that never wakes anybody up.
    private final class DeafClock: VaultClock {
        let time = Mutex<Int64>(1_000_000_000_000)
        var now: Int64 { time.withLock { $0 } }
        var slept: Int64 { 0 }
        var sleptAtMost: Int64 { 0 }
        func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) -> any WakeUp { Nothing() }
        private struct Nothing: WakeUp {
            func cancel() {}
        }
    }
}
