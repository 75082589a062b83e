internal import Glibc
internal import Synchronization

#if !os(Linux)
    #error("WriteSignals knows Linux only: add a file for this system to this folder")
#endif

/// The signals that come with a write that cannot be done: nobody reads any more, or a file may not grow so large.
///
/// They are ignored while we run, so that the write fails as any other does: a lost reader of messages never stops a
/// save half-way, and a save that is too large takes its temporary file away. Programs that we start get them as we did.
enum WriteSignals {
    private static let all = [SIGPIPE, SIGXFSZ]
    // A bit for each signal that was ignored before we did.
    private static let ignoredBefore = Atomic<UInt64>(0)

    /// Ignores the signals, and remembers what they did before.
    static func ignore() {
        for number in all {
            var before = sigaction()
            guard unsafe sigaction(number, nil, &before) == 0 else { continue }
            if unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1 {
                ignoredBefore.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
            } else {
                _ = signal(number, SIG_IGN)
            }
        }
    }

    /// The signals that only we ignore, and a program that we start must not.
    static var ignoredByUs: [Int32] {
        let before = ignoredBefore.load(ordering: .relaxed)
        return all.filter { before & 1 << UInt64($0) == 0 }
    }

    /// Ends the process as a filter ends when its reader is gone; returns if that was to be ignored from the start.
    static func endByBrokenPipe() {
        guard ignoredByUs.contains(SIGPIPE) else { return }
        _ = signal(SIGPIPE, SIG_DFL)
        _ = raise(SIGPIPE)
    }
}
