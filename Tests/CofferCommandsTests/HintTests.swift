import Coffer
import CofferCommands
import Foundation
import Glibc
import TestSupport
import Testing

/// What the program says to someone who meant something else.
@Suite struct HintTests {
    @Test(
        "verbs of other programs are known",
        arguments: [
            ("unset", ["remove", "rm", "delete"]), ("set", ["add", "put", "insert"]), ("get", ["show", "cat"]),
            ("list", ["ls"]), ("rename", ["mv"]), ("passphrase", ["change-passphrase", "passwd", "rekey"]),
            ("check", ["verify"]), ("inspect", ["info"]), ("status", ["unlocked"]), ("agent", ["daemon"]),
        ])
    func verbs(verb: String, words: [String]) throws {
        let runner = CommandRunner("coffer")
        for word in words {
            let outcome = try runner.run([word, "x"])
            #expect(outcome.code == 2)
            #expect(outcome.messages.contains("did you mean coffer \(verb)?"))
            #expect(try runner.run(["help", word]).messages.contains("did you mean coffer help \(verb)?"))
        }
    }

    @Test("a topic that nobody knows leads to the list", arguments: ["backup", "nothing-like-it"])
    func topic(word: String) throws {
        let outcome = try CommandRunner("coffer").run(["help", word])
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("hint: coffer help lists the commands"))
    }

    @Test(
        "a passphrase on the command line is answered with the options that there are",
        arguments: [
            ["list", "--passphrase", "ecret"], ["list", "--passphrase=ecret"], ["list", "-p", "ecret"],
            ["list", "-pecret"], ["--passphrase", "ecret", "list"], ["list", "--password", "ecret"],
        ])
    func passphrase(words: [String]) throws {
        let outcome = try CommandRunner("coffer").run(words)
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("--passphrase-fd, --passphrase-file or --passphrase-command"))
        #expect(!outcome.messages.contains("ecret"))
    }

    @Test("a length after --generate is told to stand in the same word", arguments: [["x", "--generate", "40"]])
    func generate(words: [String]) throws {
        let outcome = try CommandRunner("coffer").run(["set"] + words)
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("--generate=32"))
        #expect(!outcome.messages.contains("40"))
    }

    @Test("a hyphen is no file, and what reads standard input is told")
    func hyphen() throws {
        let session = try CofferSession()
        let cases: [([String], String)] = [
            (["list", "--passphrase-file", "-"], "--passphrase-fd 0"),
            (
                ["passphrase", "--passphrase-file", session.passphraseFile, "--new-passphrase-file", "-"],
                "--new-passphrase-fd 0"
            ),
            (["set", "a", "--file", "-", "--passphrase-file", session.passphraseFile], "leave --file out"),
        ]
        for (words, hint) in cases {
            let outcome = try session.runner.run(words, input: Array(TemporaryVault.passphrase.utf8))
            #expect(outcome.code == 2)
            #expect(outcome.messages.contains(hint) && outcome.messages.contains("./-"), "\(outcome.messages)")
        }
    }

    @Test("an empty file is said to be empty")
    func empty() throws {
        let session = try CofferSession()
        let empty = try session.fixture.file("empty", [])
        let other = try session.fixture.file("other", Array("nothing of ours".utf8))
        for command in [["check", empty], ["inspect", empty], ["list", "--vault", empty]] {
            let outcome = try session.run(command)
            #expect(outcome.code == 3)
            #expect(outcome.messages.contains("hint: it is empty: if it was a vault, restore a copy"))
        }
        #expect(try !session.run(["check", other]).messages.contains("empty"))
    }

    @Test("a quiet check says nothing of a file that is whole")
    func quietCheck() throws {
        let session = try CofferSession()
        let whole = try session.runner.run(["check", "-q"])
        #expect(whole.code == 0)
        #expect(whole.bytes.isEmpty && whole.messages.isEmpty)
        #expect(try session.runner.run(["check", "-q", "--json"]).output.contains("\"whole\": true"))
        let other = try session.fixture.file("other", Array("nothing of ours".utf8))
        #expect(try session.runner.run(["check", "-q", other]).messages.contains("not a Coffer vault"))
    }

    @Test(
        "that nothing was lost is said of steps of a save alone",
        arguments: [
            ("open the vault", false), ("read the vault", false), ("follow the symbolic link", false),
            ("open the directory", false), ("find the user's home directory", false), ("create the directory", true),
            ("open the lock file", true), ("lock the vault", true), ("check the file to be replaced", true),
            ("create the temporary file", true), ("write the temporary file", true),
            ("bring the temporary file to the disk", true), ("read the temporary file back", true),
            ("rename the temporary file", true),
        ])
    func lost(step: String, isOfSave: Bool) {
        for number in [EIO, EACCES, ENOENT, ESTALE, EWOULDBLOCK, ENOMEM] {
            let failure = Failure(VaultError.ioError(step: step, errno: number, path: "/v"), vault: "/v")
            #expect((failure.hint ?? "").lowercased().contains("nothing was lost") == isOfSave)
            #expect((failure.hint != nil) == (isOfSave || [ENOENT, ESTALE, EWOULDBLOCK, ENOMEM].contains(number)))
        }
    }
}
