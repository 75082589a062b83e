import Coffer
import Foundation
import TestSupport
import Testing
import VaultFile

@Suite(.timeLimit(.minutes(5))) struct MissingTimerTests {
    @Test("a timer that was refused at the unlock is asked for again by a read, and then locks without an access")
    func refused() async throws {
        let clock = ManualClock()
        clock.fail(with: Errno(code: EAGAIN))
        let vault = try AutoLockTests.vault(AutoLock(idle: .seconds(60)), clock: clock)
        var events = vault.events().makeAsyncIterator()
        #expect(clock.deadlines == [])
        clock.fail(with: nil)
        clock.advance(by: .seconds(1))
        #expect(try vault[.retries] == 3)
        #expect(clock.deadlines.count == 1)
        clock.advance(by: .seconds(60))
        #expect(await events.next() == .lockState(.locked))
    }
}
