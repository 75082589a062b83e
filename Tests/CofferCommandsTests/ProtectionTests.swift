import Foundation
import Glibc
import TestSupport
import Testing

/// What the system refuses of the protection of memory is said.
@Suite struct ProtectionTests {
    // Root locks as much as it likes unless it gives up that right.
    private func unlocked(_ session: CofferSession, _ arguments: [String]) throws -> CommandRunner.Outcome {
        let drop = geteuid() == 0 ? "setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock" : ""
        return try CommandRunner("/bin/bash", environment: session.runner.environment).run(
            ["-c", "ulimit -l 0; exec \(drop) \"$0\" \"$@\"", session.runner.program] + arguments
                + ["--passphrase-file", session.passphraseFile])
    }

    @Test("memory that cannot be locked is warned about, also for a new vault")
    func unlockedMemory() throws {
        let session = try CofferSession()
        let list = try unlocked(session, ["list"])
        #expect(list.code == 0)
        #expect(list.messages.contains("memory could not be locked"), "\(list.messages)")
        let new = ["init", "--cost", "3,64M", "--vault", session.fixture.path + "2"]
        let made = try unlocked(session, new)
        #expect(made.code == 0)
        #expect(made.messages.contains("memory could not be locked"), "\(made.messages)")
        let quiet = try unlocked(session, ["list", "--quiet"])
        #expect(quiet.code == 0 && quiet.messages.isEmpty)
    }

    @Test("a process that other ones may look into is warned about")
    func dumpable() throws {
        let session = try CofferSession()
        let trace = session.fixture.path + ".trace"
        let strace = CommandRunner("/usr/bin/strace", environment: session.runner.environment)
        let injecting = [
            "-f", "-o", trace, "-e", "trace=prctl", "-e", "inject=prctl:error=EPERM", session.runner.program, "list",
            "--passphrase-file", session.passphraseFile,
        ]
        let outcome = try strace.run(injecting)
        if outcome.messages.contains("strace:") {
            FileHandle.standardError.write(Data("SKIPPED: strace cannot trace here\n".utf8))
            return
        }
        #expect(outcome.code == 0)
        #expect(outcome.messages.contains("warning: other processes"), "\(outcome.messages)")
        #expect(try strace.run(injecting + ["--quiet"]).messages.isEmpty)
        #expect(try !session.run(["list"]).messages.contains("other processes"))
    }

    @Test("a terminal that goes on showing what is typed is not asked at, and that is said")
    func echo() throws {
        let session = try CofferSession()
        let terminal = try PseudoTerminal()
        let trace = session.fixture.path + ".trace"
        // The program looks once more a moment after it has hidden what is typed; by then it is shown again.
        let child = try terminal.start(
            "/usr/bin/strace",
            [
                "-f", "-o", trace, "-e", "trace=ioctl", "-e", "inject=ioctl:delay_exit=300000", session.runner.program,
                "list",
            ],
            environment: session.runner.environment)
        guard terminal.waitForEcho(false) else {
            _ = try child.wait()
            terminal.drain()
            try #require(terminal.shown.contains("strace:"), "\(terminal.shown)")
            FileHandle.standardError.write(Data("SKIPPED: strace cannot trace here\n".utf8))
            return
        }
        terminal.showInput()
        try terminal.expect("goes on showing what is typed")
        #expect(try child.wait() == .exited(15))
        #expect(!terminal.shown.contains("Passphrase of") && !terminal.shown.contains("Success"))
        #expect(terminal.echoes)
    }
}
