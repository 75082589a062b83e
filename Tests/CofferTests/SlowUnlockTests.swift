import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct SlowUnlockTests {
    @Test("an unlock does not put back what is older than a save, also when a deadline passed after the save")
    func expiredMeanwhile() throws {
        let (clock, place) = (ManualClock(), try TemporaryVault())
        let next = Mutex<(@Sendable () -> Void)?>(nil)
        var surroundings = VaultSurroundings(
            system: FaultingSystemCalls(before: { call in if call == .close { next.withLock { $0.take() }?() } }))
        surroundings.clock = clock
        let vault = Vault(
            at: .file(place.path), autoLock: AutoLock(idle: .milliseconds(50)), surroundings: surroundings)
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        try vault.unlock(passphrase)
        next.withLock {
            $0 = {
                try? vault.update { draft in draft.set(.retries, to: 7) }
                clock.advance(by: .milliseconds(50))
            }
        }
        try vault.unlock(passphrase)
        #expect(try vault[.retries] == 7)
    }
}
