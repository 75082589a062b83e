import Glibc
import TestSupport
import Testing

/// `unlock` by a person at a terminal.
@Suite struct UnlockTerminalTests {
    private func start(_ words: [String], _ session: AgentSession, _ terminal: PseudoTerminal) throws -> ChildProcess {
        try terminal.start(session.runner.program, words, environment: session.runner.environment)
    }

    private func type(_ text: String, _ session: AgentSession, _ terminal: PseudoTerminal) throws {
        try terminal.expect("Passphrase of \"\(session.fixture.path)\": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(text + "\n")
    }

    @Test("what was unlocked at a terminal outlives it")
    func terminalEnds() throws {
        let session = try AgentSession()
        #expect(try session.session.run(["set", "a"], text: "value").code == 0)
        do {
            let terminal = try PseudoTerminal()
            let child = try start(["unlock"], session, terminal)
            try type(TemporaryVault.passphrase, session, terminal)
            #expect(try child.wait() == .exited(0))
            terminal.drain()
            #expect(terminal.shown.contains("is unlocked and locks after 15m without use"))
            #expect(!terminal.shown.contains(TemporaryVault.passphrase))
        }
        // The terminal is gone, and its session with it.
        usleep(200_000)
        #expect(try session.run(["get", "a"]).output == "value")
    }

    @Test("a lock from elsewhere while a person is asked wins")
    func lockMeanwhile() throws {
        let session = try AgentSession()
        let terminal = try PseudoTerminal()
        let child = try start(["unlock"], session, terminal)
        try terminal.expect("Passphrase of \"\(session.fixture.path)\": ")
        #expect(terminal.waitForEcho(false))
        #expect(try session.run(["lock"]).code == 0)
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(14))
        terminal.drain()
        #expect(terminal.shown.contains("a lock came while the passphrase was asked for, so nothing was unlocked"))
        #expect(try session.run(["status", "-q"]).code == 14)
    }

    @Test("an agent that ends while a person is asked unlocks nothing, and another one is started the next time")
    func agentEnds() throws {
        let session = try AgentSession()
        let terminal = try PseudoTerminal()
        let child = try start(["unlock"], session, terminal)
        try terminal.expect("Passphrase of \"\(session.fixture.path)\": ")
        #expect(terminal.waitForEcho(false))
        #expect(try session.run(["agent", "stop"]).code == 0)
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(18))
        #expect(try session.run(["status", "-q"]).code == 18)
        #expect(try session.unlock().code == 0)
        #expect(try session.run(["status", "-q"]).code == 0)
    }

    @Test("where the agent has not unlocked the vault, a person is asked as ever, and no agent is started")
    func fallback() throws {
        let session = try AgentSession()
        #expect(try session.session.run(["set", "a"], text: "value").code == 0)
        for isRunning in [false, true] {
            if isRunning { #expect(try session.run(["agent", "start"]).code == 0) }
            let terminal = try PseudoTerminal()
            let child = try start(["get", "a"], session, terminal)
            try type(TemporaryVault.passphrase, session, terminal)
            #expect(try child.wait() == .exited(0))
            terminal.drain()
            #expect(terminal.shown.contains("value"))
            #expect(try session.run(["status", "-q"]).code == (isRunning ? 14 : 18))
        }
    }
}
