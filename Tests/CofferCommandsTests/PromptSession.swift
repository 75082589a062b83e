import TestSupport
import Testing

/// A vault, and a terminal at which the program asks for its passphrase.
struct PromptSession {
    let session: CofferSession
    let terminal: PseudoTerminal

    init() throws {
        session = try CofferSession()
        terminal = try PseudoTerminal()
    }

    /// Starts the program at the terminal.
    func start(_ arguments: [String]) throws -> ChildProcess {
        try terminal.start(session.runner.program, arguments, environment: session.runner.environment)
    }

    /// Starts the program under a shell that tells what becomes of the terminal when it stops, and lets it go on.
    ///
    /// In a process group of its own that is no orphan, or the system would not stop it.
    func startUnderShell() throws -> ChildProcess {
        let script = """
            set -m
            "$0" list -q
            echo "stopped $?"
            stty -a | tr ' ' '\\n' | grep -x -e echo -e -echo
            fg > /dev/null
            echo "ended $?"
            """
        let child = try terminal.start(
            "/bin/sh", ["-c", script, session.runner.program], environment: session.runner.environment)
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        return child
    }
}
