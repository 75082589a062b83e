internal import Glibc
internal import Synchronization

/// What happens when the reader of our output goes away.
///
/// The signal is ignored while we run, so that a lost reader of messages never stops a save half-way. When the data
/// themselves cannot be delivered, the program ends by that signal, as a filter does, unless it was started with the
/// signal ignored.
enum BrokenPipe {
    private static let wasIgnored = Atomic<Bool>(false)

    /// Ignores the signal, and remembers what it did before.
    static func ignore() {
        var before = sigaction()
        guard unsafe sigaction(SIGPIPE, nil, &before) == 0 else { return }
        let ignored = unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
        wasIgnored.store(ignored, ordering: .relaxed)
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Ends the process by the signal; returns if it was ignored from the start.
    static func endQuietly() {
        guard !wasIgnored.load(ordering: .relaxed) else { return }
        _ = signal(SIGPIPE, SIG_DFL)
        _ = raise(SIGPIPE)
    }
}
