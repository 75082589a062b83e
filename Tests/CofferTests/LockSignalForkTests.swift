import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct LockSignalForkTests {
    @Test("a forked child can use a signal that another thread of its parent used at the moment of the fork")
    func fork() async {
        await #expect(processExitsWith: .success) {
            let signal = LockSignal()
            let isDone = Mutex(false)
            let threads = (0..<2).map { _ in
                let thread = Thread {
                    while !isDone.withLock({ $0 }) {
                        LockTrigger.custom(signal).attach(clock: ManualClock()) { _ in }.cancel()
                    }
                }
                thread.start()
                return thread
            }
            for _ in 0..<100 {
                let status = try Child.status {
                    // A child that waits for ever is ended by this.
                    alarm(10)
                    let fired = Mutex(0)
                    let attachment = LockTrigger.custom(signal).attach(clock: ManualClock()) { _ in
                        fired.withLock { $0 += 1 }
                    }
                    signal.fire()
                    attachment.cancel()
                    signal.fire()
                    return fired.withLock { $0 } == 1 ? 0 : 1
                }
                try #require(status == 0)
            }
            isDone.withLock { $0 = true }
            #expect(BackgroundLoopTests.eventually { threads.allSatisfy(\.isFinished) })
        }
    }
}
