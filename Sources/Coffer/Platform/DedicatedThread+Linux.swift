internal import CSystem
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
    /// The corresponding C function is `pthread_create`.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let work = Work(body, continuation)
            start { work.run() }
        }
    }

    private final class Start: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private static func start(_ run: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(Start(run))
        let result = unsafe cs_start_thread(
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            }, start.toOpaque())
        if result != 0 { unsafe start.takeRetainedValue().run() }
    }
}
