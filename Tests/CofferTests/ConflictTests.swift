import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing

/// A passphrase that was changed elsewhere locks a vault that has the old key, and only that.
@Suite struct ConflictTests {
    /// A vault that is unlocked, with a clock of its own, and with something that runs once before a file is closed.
    private struct Scene {
        let place: TemporaryVault
        let clock = ManualClock()
        let vault: Vault
        private let next: Next

        private final class Next: Sendable {
            let body = Mutex<(@Sendable () -> Void)?>(nil)
        }

        init() throws {
            let (place, next) = (try TemporaryVault(), Next())
            var surroundings = VaultSurroundings(
                system: FaultingSystemCalls(before: { call in
                    if call == .close { next.body.withLock { $0.take() }?() }
                }))
            surroundings.clock = clock
            vault = Vault(at: .file(place.path), surroundings: surroundings)
            (self.place, self.next) = (place, next)
            try vault.unlock(Secret.text(TemporaryVault.passphrase))
        }

        func changeElsewhere() throws {
            try place.unlocked().changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
            clock.advance(by: .seconds(1))
        }

        func atNextClose(_ body: @escaping @Sendable () -> Void) { next.body.withLock { $0 = body } }
    }

    @Test("a read that decrypts the file again locks the vault too")
    func withoutCopy() throws {
        let scene = try Scene()
        scene.vault.dropCopy()
        try scene.changeElsewhere()
        #expect(throws: VaultError.conflict) { try scene.vault[.retries] }
        #expect(scene.vault.lockState == .locked)
    }

    @Test("an unlock with the new passphrase is not refused because a read finds the old key of no use meanwhile")
    func duringUnlock() throws {
        let scene = try Scene()
        try scene.changeElsewhere()
        let vault = scene.vault
        scene.atNextClose { #expect(throws: VaultError.conflict) { try vault[.retries] } }
        try vault.unlock(Secret.text("new"))
        #expect(try vault[.retries] == 3)
    }

    @Test("a read that finds its key of no use does not lock what was unlocked anew meanwhile")
    func unlockedAnew() throws {
        let scene = try Scene()
        try scene.changeElsewhere()
        let vault = scene.vault
        scene.atNextClose { #expect(throws: Never.self) { try vault.unlock(Secret.text("new")) } }
        #expect(throws: Never.self) { try vault[.retries] }
        #expect(vault.isUnlocked)
    }
}
