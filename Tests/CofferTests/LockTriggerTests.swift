import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct LockTriggerTests {
    // MARK: Sleep

    private func surroundings(_ notice: NoticePipe) -> TriggerSurroundings {
        var surroundings = TriggerSurroundings()
        surroundings.clockChanges = { .success(notice.notice) }
        return surroundings
    }

    @Test("a sleep of a second or more is due at the next access, until counting starts again")
    func due() throws {
        let clock = ManualClock()
        let attachment = LockTrigger.sleep.attach(clock: clock, in: surroundings(try NoticePipe())) { _ in }
        #expect(!attachment.isDue())
        clock.advance(by: .seconds(100_000))
        #expect(!attachment.isDue())
        clock.sleep(for: .milliseconds(999))
        #expect(!attachment.isDue())
        clock.sleep(for: .milliseconds(1))
        #expect(attachment.isDue())
        #expect(attachment.isDue())
        attachment.restart()
        #expect(!attachment.isDue())
    }

    @Test("a sleep locks without an access, once; a clock that was set does not")
    func noticed() throws {
        let (clock, notice, fired) = (ManualClock(), try NoticePipe("cancelled"), Occurrences())
        let attachment = LockTrigger.sleep.attach(clock: clock, in: surroundings(notice)) { action in
            if action == .lock { fired.happen() }
        }
        #expect(attachment.unavailable == nil)
        try Background.settle()
        #expect(fired.count == 0)
        clock.sleep(for: .seconds(3))
        notice.tell("cancelled")
        #expect(fired.wait())
        #expect(attachment.isDue())
        notice.tell("cancelled")
        try Background.settle()
        #expect(fired.count == 1)
        clock.sleep(for: .seconds(1))
        notice.tell("cancelled")
        #expect(fired.wait())
        attachment.cancel()
    }

    @Test("a notice that is late does not lock what was unlocked after the sleep")
    func late() throws {
        let (clock, notice, fired) = (ManualClock(), try NoticePipe(), Occurrences())
        let attachment = LockTrigger.sleep.attach(clock: clock, in: surroundings(notice)) { _ in fired.happen() }
        clock.sleep(for: .seconds(3))
        attachment.restart()
        notice.tell("cancelled")
        try Background.settle()
        #expect(fired.count == 0)
        attachment.cancel()
    }

    @Test("without a notice from the system an access still sees the sleep, and the attachment says what is missing")
    func unnoticed() throws {
        let clock = ManualClock()
        var surroundings = TriggerSurroundings()
        surroundings.clockChanges = { .failure(Errno(code: EMFILE)) }
        let attachment = LockTrigger.sleep.attach(clock: clock, in: surroundings) { _ in }
        #expect(attachment.unavailable?.name == "sleep")
        #expect(attachment.unavailable?.errno == EMFILE)
        clock.sleep(for: .seconds(1))
        #expect(attachment.isDue())
    }

    @Test("this machine tells of the end of a sleep, and is awake")
    func real() throws {
        let fired = Occurrences()
        let attachment = LockTrigger.sleep.attach(clock: SystemClock()) { _ in fired.happen() }
        #expect(attachment.unavailable == nil)
        try Background.settle()
        #expect(!attachment.isDue())
        #expect(fired.count == 0)
    }

    // MARK: The app's own

    @Test("when the app's signal has been fired, all that listened have done what they do")
    func custom() throws {
        let place = try TemporaryVault()
        let vaults = try (0..<3).map { _ in try place.unlocked() }
        let signal = LockSignal()
        let attachments = vaults.map { vault in
            LockTrigger.custom(signal).attach(clock: ManualClock()) { [weak vault] action in
                #expect(action == .lock)
                vault?.lock()
            }
        }
        #expect(vaults.filter { $0.isUnlocked }.count == 3)
        signal.fire()
        #expect(vaults.filter { $0.isUnlocked }.isEmpty)
        #expect(attachments.allSatisfy { $0.unavailable == nil && !$0.isDue() })
    }

    @Test("whoever has cancelled or let go is not reached any more")
    func left() {
        let (signal, fired) = (LockSignal(), Occurrences())
        let trigger = LockTrigger.custom(signal)
        let first = trigger.attach(clock: ManualClock()) { _ in fired.happen() }
        var second: Coffer.Attachment? = trigger.attach(clock: ManualClock()) { _ in fired.happen() }
        signal.fire()
        #expect(fired.count == 2)
        first.cancel()
        first.cancel()
        second = nil
        signal.fire()
        #expect(fired.count == 2)
        _ = second
    }

    @Test("targets may come and leave, and fire again, while a signal is fired")
    func reentrant() {
        let (signal, fired) = (LockSignal(), Occurrences())
        let trigger = LockTrigger.custom(signal)
        let held = Mutex<[Coffer.Attachment]>([])
        let attachment = trigger.attach(clock: ManualClock()) { _ in
            fired.happen()
            let leaving = held.withLock { attachments in
                defer { attachments = [] }
                return attachments
            }
            for attachment in leaving { attachment.cancel() }
            let late = trigger.attach(clock: ManualClock()) { _ in fired.happen() }
            held.withLock { $0.append(late) }
            if fired.count < 3 { signal.fire() }
        }
        held.withLock { $0.append(attachment) }
        signal.fire()
        // The first fires again, which reaches only the one that had come meanwhile.
        #expect(fired.count == 2)
    }

    @Test("many threads attach, fire and cancel one signal at once")
    func threads() {
        let (signal, fired) = (LockSignal(), Occurrences())
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 {
                let before = fired.count
                let attachment = LockTrigger.custom(signal).attach(clock: ManualClock()) { _ in fired.happen() }
                signal.fire()
                #expect(fired.count > before)
                attachment.cancel()
            }
        }
        let total = fired.count
        signal.fire()
        #expect(fired.count == total)
    }

    // MARK: Rules

    @Test("a vault locks by nothing unless it is told to")
    func never() {
        #expect(AutoLock.never.idle == nil)
        #expect(AutoLock.never.maximumAge == nil)
        #expect(AutoLock.never.triggers.isEmpty)
        let rules = AutoLock(idle: .seconds(60), triggers: [.sleep, .memoryPressure, .signal(SIGHUP)])
        #expect(rules.idle == .seconds(60))
        #expect(rules.triggers.count == 3)
    }
}
