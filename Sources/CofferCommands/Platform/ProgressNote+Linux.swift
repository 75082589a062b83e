internal import Glibc

#if !os(Linux)
    #error("ProgressNote knows Linux only: add a file for this system to this folder")
#endif

/// Tells a person after a second that the program is at work and not hung.
///
/// An alarm, not a thread: a second thread would take signals that a prompt holds back.
enum ProgressNote {
    private static let text: StaticString =
        "coffer: deriving the key from the passphrase, which takes a while on purpose\n"

    /// Says it in a second.
    static func arm() {
        _ = signal(SIGALRM) { _ in
            // Only what a signal handler may do: one system call.
            let before = errno
            _ = unsafe write(STDERR_FILENO, ProgressNote.text.utf8Start, ProgressNote.text.utf8CodeUnitCount)
            errno = before
        }
        _ = alarm(1)
    }

    /// Says it no more.
    static func disarm() {
        _ = alarm(0)
        _ = signal(SIGALRM, SIG_DFL)
    }
}
