internal import Glibc

#if !os(Linux)
    #error("ThisProcess knows Linux only: add a file for this system to this folder")
#endif

/// What the program asks of the system for itself.
enum ThisProcess {
    /// The number of its user.
    static var user: UInt32 { getuid() }

    /// Stands still.
    static func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

    /// Goes on when something is written that nobody reads any more.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Ends.
    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}
