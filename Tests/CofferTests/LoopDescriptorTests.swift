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
            // A high number, which no other thread of this process gets for a file that it happens to open meanwhile.
            let watched: Int32 = 700
            #expect(dup2(ends.read, watched) == watched)
            let told = Occurrences()
            let registration = try BackgroundLoop.shared.watch(watched, for: Int16(POLLIN)) { events in
                if events & Int16(POLLNVAL) != 0 { told.happen() }
            }
            close(watched)
            // A round of poll that has begun does not see it. A wake-up begins another, and one after it ends the body.
            let clock = SystemClock()
            let (passed, after) = (Occurrences(), Occurrences())
            let first = try clock.wakeUp(at: clock.now) { passed.happen() }
            #expect(passed.wait() && told.wait())
            let second = try clock.wakeUp(at: clock.now) { after.happen() }
            #expect(after.wait())
            #expect(dup2(ends.write, watched) == watched)
            registration.cancel()
            first.cancel()
            second.cancel()
            #expect(BackgroundLoopTests.isOpen(watched))
        }
    }
}
