internal import SecureMemory

#if !os(Linux)
    #error("DedicatedThread knows Linux only: add a file for this system to this folder")
#endif

/// A thread for one long computation, so that no thread of the cooperative pool is held up by it.
package enum DedicatedThread {
    /// A computation, and where its result goes. What it has captured is let go before the result is told.
    private final class Work<Result: Sendable>: Sendable {
        private let body: PlainMutex<(@Sendable () -> Result)?>
        private let continuation: CheckedContinuation<Result, Never>

        init(_ body: @escaping @Sendable () -> Result, _ continuation: CheckedContinuation<Result, Never>) {
            self.body = PlainMutex(body)
            self.continuation = continuation
        }

        func run() {
            guard let result = compute() else { return }
            // Given away and not copied: what this thread kept of a key, a lock that comes at once could not wipe.
            continuation.resume(returning: consume result)
        }

        // A function of its own, so that the captures end with it.
        private func compute() -> Result? { body.withLock { $0.take() }?() }
    }

    /// Runs a computation to its end on a thread of its own, or on this one if the system gives none.
    ///
    /// The thread takes no signals. The corresponding C function is `pthread_create`.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let work = Work(body, continuation)
            if QuietThread.start({ work.run() }) != 0 { work.run() }
        }
    }
}
