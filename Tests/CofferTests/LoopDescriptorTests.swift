import Coffer
import Foundation
import TestSupport
import Testing

@Suite struct LoopDescriptorTests {
    @Test(
        "a watched descriptor that somebody else closed is not closed once more: the number is another file's by then")
    func closedElsewhere() async {
        await #expect(processExitsWith: .success) {
            let ends = try ChildProcess.pipe()
            let told = Occurrences()
            let registration = try BackgroundLoop.shared.watch(ends.read, for: Int16(POLLIN)) { events in
                if events & Int16(POLLNVAL) != 0 { told.happen() }
            }
            close(ends.read)
            // A round of poll that has begun does not see it. A wake-up begins another, and one after it ends the body.
            let clock = SystemClock()
            let (passed, after) = (Occurrences(), Occurrences())
            let first = try clock.wakeUp(at: clock.now) { passed.happen() }
            #expect(passed.wait() && told.wait())
            let second = try clock.wakeUp(at: clock.now) { after.happen() }
            #expect(after.wait())
            #expect(dup2(ends.write, ends.read) == ends.read)
            registration.cancel()
            first.cancel()
            second.cancel()
            #expect(BackgroundLoopTests.isOpen(ends.read))
        }
    }
}
