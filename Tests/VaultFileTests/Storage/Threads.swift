import Dispatch
import Foundation
import Synchronization

/// Runs a body in threads of their own, all at once, waits for them, and throws what one of them threw.
///
/// Dispatch would run them one after the other when its few threads are busy with other tests. An expectation that
/// fails in such a thread does not know its test: the body throws instead.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let group = DispatchGroup()
    let failure = Failure()
    for index in 0..<count {
        group.enter()
        Thread {
            do {
                try body(index)
            } catch {
                failure.error.withLock { $0 = error }
            }
            group.leave()
        }.start()
    }
    group.wait()
    if let error = failure.error.withLock({ $0 }) { throw error }
}

private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
}
