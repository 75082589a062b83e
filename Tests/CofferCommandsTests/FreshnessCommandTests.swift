import Coffer
import CofferCommands
import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

/// What the command line says of files that are not what was last seen.
@Suite struct FreshnessCommandTests {
    private static let accepting = "--accept-unexpected"

    /// A session whose vault was saved twice, and the file after each.
    private func savedTwice() throws -> (session: CofferSession, bytes: [[UInt8]]) {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "one").code == 0)
        let first = try session.fixture.bytes()
        #expect(try session.run(["set", "a"], text: "two").code == 0)
        return (session, [first, try session.fixture.bytes()])
    }

    @Test("an old copy is 11 for every verb that opens it, until it is accepted")
    func rolledBack() throws {
        let (session, bytes) = try savedTwice()
        try session.fixture.write(bytes[0])
        let new = try session.fixture.file("new", Array("an altogether other passphrase".utf8))
        let verbs: [[String]] = [
            ["get", "a"], ["list"], ["set", "b"], ["unset", "a"], ["rename", "a", "b"],
            ["passphrase", "--new-passphrase-file", new],
        ]
        for verb in verbs {
            let outcome = try session.run(verb, text: "value")
            #expect(outcome.code == 11, "\(verb)")
            #expect(outcome.bytes.isEmpty)
            #expect(
                outcome.messages.contains("\"\(session.fixture.path)\" is older than the newest that was seen here"))
            #expect(outcome.messages.contains("save number 2, and number 3 was seen"), "\(outcome.messages)")
            #expect(outcome.messages.contains("hint: ") && outcome.messages.contains(Self.accepting))
        }
        #expect(try session.fixture.bytes() == bytes[0])
        for verb in ["check", "inspect"] { #expect(try session.runner.run([verb]).code == 0) }
        let accepted = try session.run(["get", "a", Self.accepting])
        #expect(accepted.code == 0 && accepted.output == "one")
        #expect(!accepted.messages.contains("warning: it could"))
        #expect(try session.value("a") == Array("one".utf8))
        #expect(try session.run(["set", "a"], text: "three").code == 0)
        #expect(try session.value("a") == Array("three".utf8))
    }

    @Test("a change is made to a file that is accepted in the same command", arguments: ["set", "passphrase"])
    func acceptAndChange(verb: String) throws {
        let (session, bytes) = try savedTwice()
        try session.fixture.write(bytes[0])
        let new = try session.fixture.file("new", Array("an altogether other passphrase".utf8))
        let words = verb == "set" ? ["set", "b"] : ["passphrase", "--new-passphrase-file", new]
        #expect(try session.run(words + [Self.accepting], text: "value").code == 0)
        let passphrase = verb == "set" ? session.passphraseFile : new
        #expect(try session.runner.run(["get", "a", "--passphrase-file", passphrase]).output == "one")
    }

    @Test("copies that were changed apart, another vault and an old key are told apart")
    func others() throws {
        let (session, bytes) = try savedTwice()
        try session.fixture.write(bytes[0])
        try session.fixture.unlocked().update { draft in draft.set(SettingKey("b", default: 0), to: 1) }
        let forked = try session.run(["list"])
        #expect(forked.code == 11 && forked.messages.contains("another save with the same number, 3"))

        try session.fixture.write(try TemporaryVault().bytes())
        let replaced = try session.run(["list"])
        #expect(replaced.code == 11 && replaced.messages.contains("but another vault"))

        try session.fixture.write(bytes[1])
        let new = try session.fixture.file("new", Array("an altogether other passphrase".utf8))
        #expect(try session.run(["passphrase", "--new-passphrase-file", new]).code == 0)
        try session.fixture.write(bytes[1])
        let thief = try session.fixture.unlocked()
        for number in 0..<3 { try thief.update { draft in draft.set(SettingKey("b", default: 0), to: number) } }
        let old = try session.run(["list"])
        #expect(old.code == 11 && old.messages.contains("a key that was replaced by a change of passphrase"))
    }

    @Test("accepting is no way around damage, an edit or a wrong passphrase")
    func notMore() throws {
        let (session, bytes) = try savedTwice()
        var edited = bytes[0]
        edited[500] ^= 1
        try session.fixture.write(edited)
        #expect(try session.run(["list", Self.accepting]).code == 5)
        let body = Array(edited.dropLast(VaultHeader.checkLength))
        try session.fixture.write(body + VaultHeader.check(of: body.rawSpan))
        #expect(try session.run(["list", Self.accepting]).code == 9)
        try session.fixture.write(bytes[0])
        let wrong = try session.fixture.file("wrong", Array("not the one".utf8))
        #expect(try session.runner.run(["list", Self.accepting, "--passphrase-file", wrong]).code == 8)
        // None of that has accepted anything.
        #expect(try session.run(["list"]).code == 11)
    }

    @Test("a vault that was removed and made anew is expected")
    func madeAnew() throws {
        let (session, _) = try savedTwice()
        try FileManager.default.removeItem(atPath: session.fixture.path)
        #expect(try session.run(["init", "--cost", "3,65536"]).code == 0)
        #expect(try session.run(["set", "a"], text: "value").code == 0)
    }

    @Test("the state is the user's alone, and holds no name and no value")
    func state() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "some/name"], text: "some value").code == 0)
        let folder = session.fixture.stateDirectory.appendingPathComponent("coffer")
        var status = stat()
        #expect(unsafe stat(folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let file = folder.appendingPathComponent("freshness")
        #expect(unsafe stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let bytes = try Data(contentsOf: file)
        #expect(bytes.range(of: Data(session.fixture.path.utf8)) != nil)
        for text in ["some/name", "some value", TemporaryVault.passphrase] {
            #expect(bytes.range(of: Data(text.utf8)) == nil)
        }
    }

    @Test("state that cannot be written stops nothing, and is said once; damaged state is not said")
    func unwritable() throws {
        let session = try CofferSession()
        let state = session.fixture.stateDirectory
        try Data().write(to: state)
        let told = "warning: it could not be written down which save of the vault was seen"
        let set = try session.run(["set", "a"], text: "value")
        #expect(set.code == 0 && set.messages.components(separatedBy: told).count == 2, "\(set.messages)")
        let get = try session.run(["get", "a"])
        #expect(get.code == 0 && get.output == "value" && get.messages.contains(told))
        #expect(get.messages.contains(state.path + "/coffer/freshness"))
        #expect(try !session.run(["get", "a", "-q"]).messages.contains(told))
        try FileManager.default.removeItem(at: state)
        #expect(try session.run(["get", "a"]).code == 0)
        let file = state.appendingPathComponent("coffer/freshness")
        let whole = try Data(contentsOf: file)
        for damaged in [Data(), whole.dropLast(), whole + [0], Data("bplist00".utf8)] {
            try damaged.write(to: file)
            let outcome = try session.run(["get", "a"])
            #expect(outcome.code == 0 && !outcome.messages.contains(told))
            #expect(try Data(contentsOf: file) == whole)
        }
        var homeless = session.runner
        homeless.environment["XDG_STATE_HOME"] = "relative"
        let outcome = try homeless.run(["get", "a", "--passphrase-file", session.passphraseFile])
        #expect(outcome.code == 0)
        #expect(
            FileManager.default.fileExists(
                atPath: session.fixture.directory.path + "/.local/state/coffer/freshness"))
    }

    @Test("processes that open and save at once raise no alarm, and the newest save is remembered")
    func processes() async throws {
        let session = try CofferSession()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<3 {
                        let outcome = try session.run(["set", "\(number)/\(round)"], text: "value")
                        #expect(outcome.code == 0, "\(outcome.messages)")
                        #expect(try session.run(["list"]).code == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try session.run(["list"]).output.split(separator: "\n").count == 24)
        let newest = try session.fixture.bytes()
        let state = try Data(contentsOf: session.fixture.stateDirectory.appendingPathComponent("coffer/freshness"))
        #expect(state.range(of: Data(newest.suffix(32))) != nil)
    }
}
