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
            // As many of these as the system gives one user, so that the vault gets none.
            var taken: [Int32] = []
            while case let next = inotify_init1(Int32(IN_CLOEXEC)), next >= 0 { taken.append(next) }
            let number = errno
            _ = vault.events()
            #expect(vault.warnings.contains(.fileNotWatched(errno: number)))
            for descriptor in taken { close(descriptor) }
            try vault.update { draft in draft.set(.retries, to: 7) }
            #expect(vault.warnings.contains(.fileNotWatched(errno: number)))
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
