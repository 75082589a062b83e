import Foundation
import Glibc
import TestSupport
import Testing

/// What a person at a terminal sees, and what becomes of the terminal.
@Suite struct TerminalTests {
    private let asking: PromptSession
    private var session: CofferSession { asking.session }
    private var terminal: PseudoTerminal { asking.terminal }

    init() throws { asking = try PromptSession() }

    private func start(_ arguments: [String]) throws -> ChildProcess { try asking.start(arguments) }

    private func prompted(_ arguments: [String]) throws -> ChildProcess {
        let child = try start(arguments)
        try terminal.expect("Passphrase of \"\(session.fixture.path)\": ")
        #expect(terminal.waitForEcho(false))
        return child
    }

    @Test("the prompt names the vault, and shows nothing that is typed")
    func prompt() throws {
        #expect(try session.run(["set", "a"], text: "v").code == 0)
        let child = try prompted(["get", "a"])
        terminal.type(TemporaryVault.passphrase + "\n")
        try terminal.expect("v\r\n")
        #expect(try child.wait() == .exited(0))
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains(TemporaryVault.passphrase))
    }

    @Test("list shows names, types and ages in columns")
    func list() throws {
        #expect(try session.run(["set", "a"], text: "v").code == 0)
        #expect(try session.run(["set", "long/name", "--type", "integer", "--value", "7"]).code == 0)
        let child = try prompted(["list"])
        terminal.type(TemporaryVault.passphrase + "\n")
        try terminal.expect("a          string   ")
        try terminal.expect("long/name  integer  ")
        #expect(try child.wait() == .exited(0))
        let ages = terminal.shown.split(separator: "\r\n").suffix(2).map { $0.split(separator: " ").last ?? "" }
        #expect(ages.count == 2 && ages.allSatisfy { $0.hasSuffix("s") || $0.hasSuffix("m") })
    }

    @Test("data go to standard output alone when there is a terminal to ask at")
    func pipeline() throws {
        #expect(try session.run(["set", "a"], text: "v").code == 0)
        let pipe = try ChildProcess.pipe()
        let child = try terminal.start(
            session.runner.program, ["get", "a"], environment: session.runner.environment, descriptors: [1: pipe.write])
        close(pipe.write)
        try terminal.expect(": ")
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(0))
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(unsafe read(pipe.read, &bytes, 16) == 1)
        #expect(bytes[0] == UInt8(ascii: "v"))
        close(pipe.read)
    }

    @Test(
        "a signal ends the program as it should, with the terminal as it was",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signals(number: Int32) throws {
        let child = try prompted(["list"])
        terminal.type("half a passph")
        kill(child.identifier, number)
        #expect(try child.wait() == .killed(number))
        #expect(terminal.echoes)
        #expect(terminal.unreadInput().isEmpty)
    }

    @Test("keys that send signals work at the prompt", arguments: [("\u{3}", SIGINT), ("\u{1C}", SIGQUIT)])
    func keys(key: String, number: Int32) throws {
        let child = try prompted(["list"])
        terminal.type("half" + key)
        #expect(try child.wait() == .killed(number))
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains("half"))
    }

    @Test("a stopped program gives the terminal back, and asks again when it goes on")
    func stop() throws {
        let child = try asking.startUnderShell()
        terminal.type("half\u{1A}")
        try terminal.expect("stopped 148")
        try terminal.expect("\necho\r\n")
        try terminal.expect("Passphrase of ")
        try terminal.expect(": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + "\n")
        try terminal.expect("ended 0")
        #expect(try child.wait() == .exited(0))
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains("half"))
        // Once before the stop and once after it.
        #expect(terminal.shown.components(separatedBy: "Passphrase of").count == 3)
    }

    @Test("a paste that arrives in pieces is refused as a whole")
    func slowPaste() throws {
        let child = try prompted(["list"])
        for piece in ["first line\n", "second", " line\n", "third line\n", "tail"] {
            terminal.type(piece)
            usleep(20_000)
        }
        #expect(try child.wait() == .exited(17))
        #expect(terminal.echoes)
        #expect(terminal.unreadInput().isEmpty)
        #expect(!terminal.shown.contains("line"))
    }

    @Test("a paste that is too long is refused as a whole", arguments: [1025, 4094, 4095, 4096, 6000, 20_000])
    func longPaste(count: Int) throws {
        let child = try prompted(["list"])
        terminal.type(String(repeating: "x", count: count) + "\n" + "rm -rf something\n" + "tail")
        #expect(try child.wait() == .exited(17))
        #expect(terminal.echoes)
        #expect(terminal.unreadInput().isEmpty)
        #expect(!terminal.shown.contains("xxx") && !terminal.shown.contains("rm"))
    }

    @Test("a value that a terminal line cannot hold is refused, one just under it is taken")
    func longValue() throws {
        let options = ["set", "a", "--passphrase-file", session.passphraseFile]
        let long = try start(options)
        try terminal.expect("Value of \"a\" in \"\(session.fixture.path)\": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(String(repeating: "x", count: 6000) + "\n")
        #expect(try long.wait() == .exited(17))
        let value = String(repeating: "y", count: 4094)
        let short = try start(options)
        try terminal.expect("Value of ")
        #expect(terminal.waitForEcho(false))
        terminal.type(value + "\n")
        try terminal.expect("The same again: ")
        #expect(terminal.waitForEcho(false))
        usleep(50_000)
        terminal.type(value + "\n")
        #expect(try short.wait() == .exited(0))
        #expect(try session.value("a") == Array(value.utf8))
    }

    @Test("a paste of several lines is refused as a whole, and answers no second question")
    func severalLines() throws {
        let child = try start(["set", "a", "--passphrase-file", session.passphraseFile])
        try terminal.expect("Value of ")
        #expect(terminal.waitForEcho(false))
        terminal.type("-----BEGIN KEY-----\none\n-----END KEY-----")
        #expect(try child.wait() == .exited(17))
        #expect(terminal.unreadInput().isEmpty)
        #expect(try session.run(["list"]).output.isEmpty)
    }

    @Test("new secrets are asked for twice, three times at most")
    func twice() throws {
        let child = try start(["set", "a", "--passphrase-file", session.passphraseFile])
        for _ in 0..<3 {
            try terminal.expect("Value of ")
            #expect(terminal.waitForEcho(false))
            terminal.type("one\n")
            try terminal.expect("The same again: ")
            usleep(50_000)
            terminal.type("two\n")
        }
        #expect(try child.wait() == .exited(17))
        #expect(terminal.echoes)
        #expect(try session.run(["list"]).output.isEmpty)
    }

    @Test("an empty answer and the end of the input are failures", arguments: ["\n", "\u{4}"])
    func nothing(answer: String) throws {
        let child = try prompted(["list"])
        terminal.type(answer)
        #expect(try child.wait() == .exited(17))
        #expect(terminal.echoes)
    }

    @Test("an unfinished line is not taken when the input ends")
    func endInLine() throws {
        let child = try prompted(["list", "-q"])
        terminal.type(TemporaryVault.passphrase + "\u{4}\u{4}")
        let status = try child.wait()
        #expect(status == .exited(17))
        #expect(terminal.echoes)
    }

    @Test("nobody is asked when that is forbidden")
    func noInput() throws {
        let child = try start(["list", "--no-input"])
        #expect(try child.wait() == .exited(14))
        terminal.drain()
        #expect(terminal.shown.contains("--passphrase-file"))
        #expect(!terminal.shown.contains("Passphrase of"))
    }

    @Test("what would steer the terminal is shown, and binary is refused there")
    func output() throws {
        let options = ["--passphrase-file", session.passphraseFile, "-q"]
        #expect(try session.run(["set", "steer"], text: "a\u{1B}]0;x\u{7}b\u{202E}c\td").code == 0)
        #expect(try session.run(["set", "binary", "--type", "data"], input: [1, 2, 255]).code == 0)
        #expect(try session.run(["set", "na\u{202E}me"], text: "v").code == 0)
        #expect(try start(["get", "steer"] + options).wait() == .exited(0))
        try terminal.expect("a\\u{1B}]0;x\\u{7}b\\u{202E}c\td\r\n")
        #expect(try start(["get", "binary"] + options).wait() == .exited(17))
        #expect(try start(["get", "binary", "--json"] + options).wait() == .exited(0))
        try terminal.expect("AQL/")
        #expect(try start(["list"] + options).wait() == .exited(0))
        try terminal.expect("na\\u{202E}me")
        #expect(try start(["get", "steer", "-0"] + options).wait() == .exited(0))
        try terminal.expect("a\\u{1B}]0;x\\u{7}b\\u{202E}c\td\0")
        #expect(try start(["get", "binary", "-0"] + options).wait() == .exited(17))
        #expect(try start(["get", "steer", "-0", "--raw"] + options).wait() == .exited(0))
        try terminal.expect("a\u{1B}]0;x\u{7}b\u{202E}c\td\0")
        #expect(try start(["get", "steer", "--raw", "-n"] + options).wait() == .exited(0))
        try terminal.expect("a\u{1B}]0;x\u{7}b\u{202E}c\td")
    }

    @Test("a new vault is made at the terminal")
    func initialize() throws {
        let path = session.fixture.directory.path + "/new.coffer"
        let child = try start(["init", "--vault", path, "--cost", "3,64M"])
        try terminal.expect("New passphrase for \"\(path)\": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + "\n")
        try terminal.expect("The same again: ")
        usleep(50_000)
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(0))
        terminal.drain()
        #expect(terminal.shown.contains("made a new vault"))
        #expect(!terminal.shown.contains(TemporaryVault.passphrase))
        #expect(try session.run(["list", "--vault", path]).code == 0)
    }
}
