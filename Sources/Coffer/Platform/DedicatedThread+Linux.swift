internal import CSystem

#if !os(Linux)
    #error("DedicatedThread knows Linux only: add a file for this system to this folder")
#endif

/// A thread for one long computation, so that no thread of the cooperative pool is held up by it.
enum DedicatedThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a computation to its end on a thread of its own, or on this one if the system gives none.
    ///
    /// The corresponding C function is `pthread_create`.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: body()) }
        }
    }

    private static func start(_ run: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(run))
        let result = unsafe cs_start_thread(
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            }, work.toOpaque())
        if result != 0 { unsafe work.takeRetainedValue().run() }
    }
}
