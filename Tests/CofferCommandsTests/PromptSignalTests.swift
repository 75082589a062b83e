import Foundation
import Glibc
import TestSupport
import Testing

/// The terminal comes back whatever ends or stops the program while it asks.
@Suite struct PromptSignalTests {
    private let asking: PromptSession
    private var session: CofferSession { asking.session }
    private var terminal: PseudoTerminal { asking.terminal }

    init() throws { asking = try PromptSession() }

    private func start(_ arguments: [String]) throws -> ChildProcess { try asking.start(arguments) }

    /// What the system does nothing or cannot be kept from doing for, and what the program ignores itself.
    private static let others = [SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH]
    // posix_spawn(3) has 32 and 33 ignored in every child.
    private static let passedOver = [SIGPIPE, SIGXFSZ, 32, 33]
    private static let ending = (Int32(1)...64).filter { !others.contains($0) && !passedOver.contains($0) }

    @Test("every signal that can end the program leaves the terminal as it was", arguments: ending)
    func ends(number: Int32) throws {
        let child = try start(["list"])
        try terminal.expect("Passphrase of ")
        #expect(terminal.waitForEcho(false))
        terminal.type("half a passph")
        kill(child.identifier, number)
        #expect(try child.wait() == .killed(number))
        #expect(terminal.echoes)
        #expect(terminal.unreadInput().isEmpty)
    }

    @Test("a signal that is ignored from the start stays so", arguments: [SIGUSR1, SIGALRM, SIGINT, 35])
    func ignored(number: Int32) throws {
        let script = "trap '' \(number); exec \"$0\" list -q"
        let child = try terminal.start(
            "/bin/bash", ["-c", script, session.runner.program], environment: session.runner.environment)
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        kill(child.identifier, number)
        usleep(50_000)
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(0))
        #expect(!terminal.shown.contains("Passphrase of \"\(session.fixture.path)\": \r\nPassphrase"))
    }

    @Test("a program that is stopped from outside gives the terminal back", arguments: [SIGTSTP, SIGTTIN, SIGTTOU])
    func stops(number: Int32) throws {
        let child = try asking.startUnderShell()
        let program = try #require(Self.child(of: child.identifier))
        kill(program, number)
        try terminal.expect("stopped \(128 + number)")
        try terminal.expect("\necho\r\n")
        try terminal.expect("Passphrase of ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + "\n")
        try terminal.expect("ended 0")
        #expect(try child.wait() == .exited(0))
        #expect(terminal.echoes)
    }

    private static func child(of process: Int32) -> Int32? {
        let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return text?.split(separator: " ").first.flatMap { Int32($0) }
    }

    @Test("a signal ends the program before its prompt, where the terminal's output is stopped")
    func stoppedBefore() throws {
        terminal.type("\u{13}")
        let child = try start(["list"])
        #expect(terminal.waitForEcho(false))
        usleep(100_000)
        kill(child.identifier, SIGTERM)
        #expect(try child.wait(within: 10) == .killed(SIGTERM))
        #expect(terminal.echoes)
    }

    @Test("a signal ends the program at its prompt, where the terminal's output was stopped meanwhile")
    func stoppedAfter() throws {
        let child = try start(["list"])
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        terminal.type("half\u{13}")
        usleep(50_000)
        kill(child.identifier, SIGHUP)
        #expect(try child.wait(within: 10) == .killed(SIGHUP))
        #expect(terminal.echoes)
    }

    @Test("an answer is taken while the terminal's output is stopped, and the prompt comes when it goes on")
    func stoppedOutput() throws {
        terminal.type("\u{13}")
        let child = try start(["list", "-q"])
        #expect(terminal.waitForEcho(false))
        terminal.type("\u{11}")
        try terminal.expect(": ")
        terminal.type("\u{13}" + TemporaryVault.passphrase + "\n")
        #expect(try child.wait(within: 10) == .exited(0))
        #expect(terminal.echoes)
    }

    @Test("an alarm that was set before the start still ends the program")
    func alarm() throws {
        let script = "alarm 2; exec @ARGV"
        let child = try terminal.start(
            "/usr/bin/perl", ["-e", script, session.runner.program, "list"], environment: session.runner.environment)
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        terminal.type("a wrong passphrase\n")
        // The derivation with its note is over.
        #expect(try child.wait() == .exited(8))
        let late = try terminal.start(
            "/usr/bin/perl",
            ["-e", script, session.runner.program, "set", "a", "--passphrase-file", session.passphraseFile],
            environment: session.runner.environment)
        try terminal.expect("Value of ")
        #expect(try late.wait(within: 10) == .killed(SIGALRM))
        #expect(terminal.echoes)
    }

    @Test("a CRLF at the end of a paste is the end of one line", arguments: ["\r\n", "\r", "\n"])
    func pastedLineEnd(end: String) throws {
        let child = try start(["list", "-q"])
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + end)
        #expect(try child.wait() == .exited(0))
        #expect(terminal.unreadInput().isEmpty)
    }

    @Test("more than a CRLF is more than a line", arguments: ["\r\nx", "\n\n\n", "\r\n\r\n", "\nx"])
    func pastedLines(end: String) throws {
        let child = try start(["list", "-q"])
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + end)
        #expect(try child.wait() == .exited(17))
        #expect(terminal.unreadInput().isEmpty)
    }
}
