import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct WarningTests {
    private static let unavailable = VaultWarning.triggerUnavailable(name: "signal 9", errno: EINVAL)

    @Test("a trigger that does not work is still told when the settings were decrypted again")
    func decryptedAgain() throws {
        let (clock, place) = (ManualClock(), try TemporaryVault())
        let vault = try AutoLockTests.vault(AutoLock(triggers: [.signal(SIGKILL)]), clock: clock, place: place)
        let first = vault.warnings
        #expect(first.contains(Self.unavailable))
        vault.dropCopy()
        #expect(try vault[.retries] == 3)
        #expect(vault.warnings == first)
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        clock.advance(by: .seconds(1))
        #expect(try vault[.retries] == 7)
        #expect(vault.warnings == first)
    }

    @Test("a file that cannot be watched is still told after a save")
    func unwatched() async {
        await #expect(processExitsWith: .success) {
            let vault = try TemporaryVault().unlocked()
            // The limit is this process's alone: to use up what the user may have would depend on all others, and hurt them.
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = 0
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _ = vault.events()
            limit.rlim_cur = usual
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(vault.warnings.contains(.fileNotWatched(errno: EMFILE)))
            try vault.update { draft in draft.set(.retries, to: 7) }
            #expect(vault.warnings.contains(.fileNotWatched(errno: EMFILE)))
        }
    }

    @Test("an unlock that finds less than a save meanwhile has told does not tell things twice")
    func slowUnlock() throws {
        let place = try TemporaryVault()
        let next = Mutex<(@Sendable () -> Void)?>(nil)
        let system = FaultingSystemCalls(before: { call in if call == .close { next.withLock { $0.take() }?() } })
        let vault = Vault(
            at: .file(place.path), autoLock: AutoLock(triggers: [.signal(SIGKILL)]),
            surroundings: .init(system: system))
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        try vault.unlock(passphrase)
        next.withLock { $0 = { try? vault.update { draft in draft.set(.retries, to: 7) } } }
        try vault.unlock(passphrase)
        #expect(try vault[.retries] == 7)
        #expect(vault.warnings.count { $0 == Self.unavailable } == 1)
    }
}
