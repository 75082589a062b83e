internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("QuietThread knows Linux only: add a file for this system to this folder")
#endif

/// Starts threads that no signal of the process interrupts, or lands on in place of the program's own threads.
package enum QuietThread {
    private final class Start: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    // Not a thread's own faults: blocked, they would pass by a program's crash handler. And not the two signals with
    // which the C library reaches every thread: setuid(2) would wait for this one for ever.
    private static let blocked = ~[SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, 32, 33]
        .reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }

    /// Runs a closure on a thread of its own.
    ///
    /// The corresponding C function is `pthread_create`.
    ///
    /// - Returns: 0, or the number of the error; then the closure does not run.
    package static func start(_ run: @escaping @Sendable () -> Void) -> Int32 {
        // A new thread has the mask of the one that starts it, from its first instruction on.
        var before: UInt64 = 0
        guard unsafe cs_signal_mask(SIG_BLOCK, blocked, &before) == 0 else { return errno }
        defer { _ = cs_signal_mask(SIG_SETMASK, before, nil) }
        let start = unsafe Unmanaged.passRetained(Start(run))
        let result = unsafe cs_start_thread(
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            }, start.toOpaque())
        if result != 0 { unsafe start.release() }
        return result
    }

    /// Names the thread that runs, in at most 15 bytes.
    package static func name(_ name: String) { _ = unsafe cs_name_thread(name) }
}
