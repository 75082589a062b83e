internal import Coffer
internal import SecureMemory

/// Work that may wait for a drive, begun in its order on few threads of its own.
///
/// A thread starts when there is something to do for it and ends when there is nothing: that costs less than a page of a
/// file. Work that hangs, as on a drive that is gone, holds up its thread: what adds work sees to it that the same drive
/// does not get all threads.
final class WorkQueue: Sendable {
    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        /// Where the next of them stands; what is before it is done.
        var next = 0
        /// The threads that run.
        var threads = 0

        var count: Int { waiting.count - next }
    }

    private let name: String
    private let (threads, capacity): (Int, Int)
    private let state = PlainMutex(State())

    /// Makes a queue without a thread.
    ///
    /// - Parameters:
    ///   - name: the threads' name, at most 15 bytes.
    ///   - threads: how many there may be.
    ///   - capacity: how many pieces of work may wait.
    init(name: String, threads: Int = 1, capacity: Int) {
        self.name = name
        self.threads = threads
        self.capacity = capacity
    }

    /// Adds a piece of work.
    ///
    /// - Returns: false if there is no room, or the system gives no thread; then it is not done.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.count < capacity else { return false }
            if state.threads < threads {
                if QuietThread.start({ [self] in run() }) == 0 {
                    state.threads += 1
                } else if state.threads == 0 {
                    return false
                }
            }
            state.waiting.append(work)
            return true
        }
    }

    /// Whether nothing is done, and nothing waits.
    var isIdle: Bool { state.withLock { $0.threads == 0 } }

    /// Waits until all is done.
    ///
    /// - Parameter deadline: until when at most, on `CLOCK_BOOTTIME`, in nanoseconds.
    func finish(until deadline: Int64) {
        while !isIdle, MonotonicTime.now < deadline { MonotonicTime.pause() }
    }

    private func run() {
        QuietThread.name(name)
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.count > 0 else {
                (state.waiting, state.next) = ([], 0)
                state.threads -= 1
                return nil
            }
            let work = state.waiting[state.next]
            // Done work is let go of at once: it may hold values.
            state.waiting[state.next] = {}
            state.next += 1
            if state.next == 64 {
                state.waiting.removeFirst(64)
                state.next = 0
            }
            return work
        }
    }
}
