import Foundation
import Glibc
import TestSupport
import Testing

/// What is asked for once and shown, and what is asked for again.
@Suite struct PromptTests {
    private let asking: PromptSession
    private var session: CofferSession { asking.session }
    private var terminal: PseudoTerminal { asking.terminal }

    init() throws { asking = try PromptSession() }

    private func start(_ arguments: [String]) throws -> ChildProcess { try asking.start(arguments) }

    @Test(
        "what is no secret is asked for once and shown",
        arguments: [
            (["--type", "integer"], "4711"), (["--type", "real"], "47.25"), (["--type", "boolean"], "false"),
            (["--type", "date"], "2024-02-29T00:00:00Z"), (["--not-secret"], "alice"),
        ])
    func shown(options: [String], value: String) throws {
        let child = try start(["set", "a", "--passphrase-file", session.passphraseFile] + options)
        try terminal.expect("Value of \"a\" in \"\(session.fixture.path)\": ")
        usleep(200_000)
        #expect(terminal.echoes)
        terminal.type(value + "\n")
        #expect(try child.wait() == .exited(0))
        terminal.drain()
        #expect(terminal.shown.contains(": \(value)\r\n"))
        #expect(!terminal.shown.contains("\(value)\r\n\r\n") && !terminal.shown.contains("same again"))
        #expect(terminal.echoes)
        #expect(try session.value("a") == Array(value.utf8))
    }

    @Test("a paste of several lines is refused where it is shown too")
    func shownPaste() throws {
        let child = try start(["set", "a", "--type", "integer", "--passphrase-file", session.passphraseFile])
        try terminal.expect("Value of \"a\" in \"\(session.fixture.path)\": ")
        usleep(200_000)
        terminal.type("1\n2\n3")
        #expect(try child.wait() == .exited(17))
        #expect(terminal.echoes)
        #expect(terminal.unreadInput().isEmpty)
        #expect(try session.run(["list"]).output.isEmpty)
    }

    @Test("a weak new passphrase is refused before it is asked for again")
    func weak() throws {
        let path = session.fixture.directory.path + "/new.coffer"
        let child = try start(["init", "--vault", path, "--cost", "3,64M"])
        for weak in ["password1234", "short"] {
            try terminal.expect("New passphrase for \"\(path)\": ")
            #expect(terminal.waitForEcho(false))
            terminal.type(weak + "\n")
            try terminal.expect("easy to guess")
        }
        try terminal.expect("New passphrase for \"\(path)\": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + "\n")
        try terminal.expect("The same again: ")
        usleep(50_000)
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(0))
        terminal.drain()
        #expect(terminal.shown.components(separatedBy: "The same again").count == 2)
        #expect(!terminal.shown.contains("password1234"))
        #expect(try session.run(["list", "--vault", path]).code == 0)
    }

    @Test("a weak new passphrase is refused for good at the third try")
    func weakThrice() throws {
        let child = try start(["passphrase", "--passphrase-file", session.passphraseFile])
        for _ in 0..<3 {
            try terminal.expect("New passphrase for ")
            #expect(terminal.waitForEcho(false))
            terminal.type("password1234\n")
        }
        #expect(try child.wait() == .exited(17))
        terminal.drain()
        #expect(terminal.shown.contains("--allow-weak"))
        #expect(!terminal.shown.contains("same again"))
        #expect(terminal.echoes)
        #expect(try session.run(["list"]).code == 0)
    }

    @Test("a cost alone asks for the new passphrase where there is a terminal, and takes the same one")
    func cost() throws {
        let child = try start(["passphrase", "--cost", "3,64M", "--passphrase-file", session.passphraseFile])
        for prompt in ["New passphrase for ", "The same again: "] {
            try terminal.expect(prompt)
            #expect(terminal.waitForEcho(false))
            usleep(50_000)
            terminal.type(TemporaryVault.passphrase + "\n")
        }
        #expect(try child.wait() == .exited(0))
        terminal.drain()
        #expect(terminal.shown.contains("the passphrase is the same"))
    }
}
