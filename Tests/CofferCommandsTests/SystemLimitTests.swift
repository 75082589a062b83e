import Coffer
import CofferCommands
import Foundation
import Glibc
import TestSupport
import Testing

/// What the system refuses in the middle of the work.
@Suite struct SystemLimitTests {
    private func limited(
        _ limit: String, _ session: CofferSession, _ arguments: [String], input: [UInt8] = []
    ) throws -> CommandRunner.Outcome {
        try CommandRunner("/bin/bash", environment: session.runner.environment).run(
            ["-c", "\(limit); exec \"$0\" \"$@\"", session.runner.program] + arguments
                + ["--passphrase-file", session.passphraseFile], input: input)
    }

    @Test("a save that a limit of file size stops is a failure to write, and leaves nothing behind")
    func fileSize() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "old").code == 0)
        let outcome = try limited("ulimit -f 2", session, ["set", "a"], input: Array("new".utf8))
        #expect(outcome.code == 15)
        #expect(outcome.messages.contains("could not write the temporary file: File too large"))
        #expect(try session.value("a") == Array("old".utf8))
        #expect(try session.fixture.files().allSatisfy { !$0.contains(".tmp-") })
    }

    @Test("a passphrase command gets the signals as they were", arguments: [false, true])
    func commandSignals(isIgnored: Bool) throws {
        let session = try CofferSession()
        let seen = session.fixture.directory.appendingPathComponent("seen").path
        let script = "grep SigIgn /proc/self/status > '\(seen)'; echo '\(TemporaryVault.passphrase)'"
        let before = isIgnored ? "trap '' PIPE XFSZ USR1" : ":"
        let outcome = try CommandRunner("/bin/bash", environment: session.runner.environment).run(
            ["-c", "\(before); exec \"$0\" list --passphrase-command \"$1\"", session.runner.program, script])
        #expect(outcome.code == 0)
        let text = try String(contentsOfFile: seen, encoding: .utf8)
        let mask = try #require(text.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) })
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1] { #expect((mask & 1 << UInt64(number - 1) != 0) == isIgnored) }
    }

    @Test("a passphrase command works where the end of children is ignored")
    func ignoredChildren() throws {
        let session = try CofferSession()
        // A shell cannot ignore it for what it starts.
        let script = "$SIG{CHLD} = 'IGNORE'; exec @ARGV"
        let command = "echo '\(TemporaryVault.passphrase)'"
        let outcome = try CommandRunner("/usr/bin/perl", environment: session.runner.environment).run(
            ["-e", script, session.runner.program, "list", "--passphrase-command", command])
        #expect(outcome.code == 0, "\(outcome.messages)")
    }

    @Test("the output of a passphrase command ends with its shell, not with what that left behind")
    func backgroundHolder() throws {
        let session = try CofferSession()
        let start = Date()
        let command = "sleep 20 2>/dev/null & printf '%s' '\(TemporaryVault.passphrase)'"
        #expect(try session.runner.run(["list", "--passphrase-command", command]).code == 0)
        let slow =
            "(sleep 0.4; printf '%s' '\(TemporaryVault.passphrase.dropFirst(3))') & sleep 20 2>/dev/null & "
            + "printf '%s' '\(TemporaryVault.passphrase.prefix(3))'; wait %1"
        #expect(try session.runner.run(["list", "--passphrase-command", slow]).code == 0)
        #expect(Date().timeIntervalSince(start) < 15)
    }

    @Test("JSON that is nested too deep is refused at its bracket, in less memory than it takes")
    func depth() throws {
        let session = try CofferSession()
        let text = String(repeating: "[1234,", count: 4_000_000)
        let outcome = try limited("ulimit -v 30000", session, ["set", "a", "--type", "json"], input: Array(text.utf8))
        #expect(outcome.code == 17)
        #expect(outcome.messages.contains("nested deeper"))
        #expect(outcome.messages.contains("at byte \(31 * 6)"))
    }

    @Test("JSON that memory cannot hold is a lack of memory", arguments: [50_000, 60_000, 80_000, 100_000, 120_000])
    func memory(limit: Int) throws {
        let session = try CofferSession()
        for element in ["1234,", "\"\\u00e4\",", "[],"] {
            let text = "[" + String(repeating: element, count: 1_500_000) + "1]"
            let outcome = try limited(
                "ulimit -v \(limit)", session, ["set", "a", "--type", "json"], input: Array(text.utf8))
            // With more than it needs it works; what must not be is that it is ended in between.
            #expect(outcome.code == 7 || outcome.code == 0 && limit > 80_000, "\(outcome.code) \(outcome.messages)")
        }
    }

    @Test("a vault that memory cannot hold is a lack of memory, not of the disk")
    func reading() {
        let error = VaultError.ioError(step: "read the vault", errno: ENOMEM, path: "/v")
        #expect(Failure(error, vault: "/v").code == .notEnoughMemory)
        let other = VaultError.ioError(step: "read the vault", errno: EIO, path: "/v")
        #expect(Failure(other, vault: "/v").code == .ioError)
    }

    private static let changes: [(arguments: [String], input: String, said: String)] = [
        (["set", "b"], "v", "the value of \"b\" is stored"), (["unset", "a"], "", "the settings are removed"),
        (["rename", "a", "b"], "", "the setting has its new name"),
        (
            ["passphrase", "--cost", "3,64M", "--new-passphrase-fd", "0"], "quite different words here",
            "the new passphrase is in force"
        ),
        (["init", "--cost", "3,64M"], "", "the vault is made"),
    ]

    @Test("a change that is made but not on the disk says what is so", arguments: changes)
    func notSynced(arguments: [String], input: String, said: String) throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "v").code == 0)
        let isNew = arguments[0] == "init"
        let vault = isNew ? session.fixture.path + "2" : session.fixture.path
        let trace = session.fixture.directory.appendingPathComponent("trace").path
        let outcome = try CommandRunner("/usr/bin/strace", environment: session.runner.environment).run(
            ["-f", "-o", trace, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=2", session.runner.program]
                + arguments + ["--vault", vault, "--passphrase-file", session.passphraseFile],
            input: Array(input.utf8))
        // Where no process may look into another, none may trace it either: a failure, unless told to skip.
        if outcome.messages.contains("strace:"), MemoryScan.mayBeSkipped {
            FileHandle.standardError.write(Data("SKIPPED: strace cannot trace here\n".utf8))
            return
        }
        #expect(outcome.code == 15)
        #expect(outcome.messages.contains(said), "\(outcome.messages)")
        #expect(!outcome.messages.contains("othing was lost"))
        // And so it is.
        let names = try session.runner.run(["list", "--vault", vault, "--passphrase-file", session.passphraseFile])
        switch arguments[0] {
        case "set": #expect(names.output == "a\tstring\nb\tstring\n")
        case "unset": #expect(names.output == "" && names.code == 0)
        case "rename": #expect(names.output == "b\tstring\n")
        case "passphrase": #expect(names.code == 8)
        default: #expect(names.output == "" && names.code == 0)
        }
    }

    @Test("each change names what is in force when it may not survive a power cut")
    func mapping() {
        let failure = Failure(VaultError.savedButNotSynced(errno: EIO, path: "/v"), vault: "/v")
        #expect(failure.code == .ioError)
        #expect(failure.message.contains("the change is saved, but it may not survive a power cut"))
        #expect(failure.hint?.contains("lost") == false)
        #expect(ExitCode.ioError.classes.contains("savedButNotSynced"))
        #expect(!ExitCode.ioError.meaning.contains("nothing was lost"))
    }

    @Test("directories and files are ours to use under every umask", arguments: ["777", "277", "000"])
    func umask(mask: String) throws {
        let session = try CofferSession(passphrase: nil)
        var environment = session.runner.environment
        environment["COFFER_VAULT"] = nil
        let home = session.fixture.directory.appendingPathComponent("home").path
        environment["XDG_DATA_HOME"] = home
        let script = "umask \(mask); exec \"$0\" init --cost 3,64M --passphrase-file \"$1\""
        let outcome = try CommandRunner("/bin/bash", environment: environment).run(
            ["-c", script, session.runner.program, session.passphraseFile])
        #expect(outcome.code == 0, "\(outcome.messages)")
        var status = stat()
        for (path, mode) in [("", 0o700), ("/coffer", 0o700), ("/coffer/default.coffer", 0o600)] as [(String, mode_t)] {
            #expect(unsafe stat(home + path, &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
        }
    }
}
