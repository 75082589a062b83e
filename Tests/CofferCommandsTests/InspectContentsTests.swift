import Glibc
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// What `inspect` shows of a file with its passphrase.
@Suite struct InspectContentsTests {
    private func open(_ session: CofferSession, _ path: String) throws -> (CommandRunner.Outcome, Inspection) {
        let (text, json) = try session.inspect(path, ["--passphrase-file", session.passphraseFile])
        return (text, json)
    }

    @Test("the passphrase shows which save it is, sizes and numbers, and no name or value")
    func contents() throws {
        let session = try CofferSession()
        for (name, value) in [("mail/user", "alice"), ("mail/user", "bob"), ("gone", "1"), ("back", "2")] {
            #expect(try session.run(["set", name], text: value).code == 0)
        }
        #expect(try session.run(["unset", "gone"]).code == 0)
        #expect(try session.run(["unset", "back", "--undoable"]).code == 0)
        let before = try session.fixture.bytes()
        let (text, json) = try open(session, session.fixture.path)
        #expect(text.code == 0 && text.messages.isEmpty)
        let contents = try #require(json.contents)
        #expect(contents["generation"] as? Int == 7 && contents["settings"] as? Int == 1)
        #expect(contents["tombstones"] as? Int == 2 && contents["undoValues"] as? Int == 2)
        #expect(contents["recipients"] as? Int == 0 && contents["agesKnown"] as? Bool == true)
        #expect((contents["vaultID"] as? String)?.count == 32)
        let sizes = ["settingsBytes", "metadataBytes", "paddingBytes"].compactMap { contents[$0] as? Int }
        #expect(sizes.count == 3 && sizes.reduce(32, +) == 4_096)
        for line in ["generation   7", "settings     1 in \(sizes[0]) bytes", "undo values  2", "ages         known"] {
            #expect(text.output.contains("  " + line + "\n"), "\(text.output)")
        }
        for word in ["mail", "alice", "bob", "gone", "back"] {
            #expect(!(text.output + json.outcome.output).contains(word))
        }
        #expect(try session.fixture.bytes() == before)
    }

    @Test("recipients are counted, and not named")
    func recipients() throws {
        let session = try CofferSession()
        let key = [UInt8](repeating: 9, count: 32)
        let name = Array("Bob the holder".utf8)
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        try builder.key(utf8: Array("owner".utf8).rawSpan)
        try builder.data(key.rawSpan)
        try builder.key(utf8: Array("recipients".utf8).rawSpan)
        try builder.beginArray()
        try builder.beginDictionary()
        try builder.key(utf8: Array("key".utf8).rawSpan)
        try builder.data(key.rawSpan)
        try builder.key(utf8: Array("label".utf8).rawSpan)
        try builder.string(utf8: name.rawSpan)
        try builder.endDictionary()
        try builder.endArray()
        try builder.endDictionary()
        let metadata = try builder.finish()
        let plaintext = try VaultPlaintext.beforeFirst().next(metadata: metadata.bytes)
        let path = try session.fixture.file("made", MadeFile.bytes(plaintext: plaintext.bytes.array))
        let (text, json) = try open(session, path)
        #expect(text.code == 0)
        #expect(json.contents?["recipients"] as? Int == 1 && json.contents?["agesKnown"] as? Bool == false)
        #expect(json.contents?["generation"] as? Int == 1 && json.contents?["settings"] as? Int == 0)
        #expect(text.output.contains("  ages         unknown\n") && text.output.contains("  recipients   1\n"))
        #expect(!text.output.contains("Bob"))
    }

    @Test("what the passphrase shows to be wrong is said after the header, in its class")
    func refusals() throws {
        let session = try CofferSession()
        let other = try session.fixture.file("other", Array("another passphrase".utf8))
        let empty = try session.fixture.file("empty", [])
        var edited = try session.fixture.bytes()
        edited[300] ^= 1
        let tampered = try session.fixture.file("tampered", MadeFile.checked(edited))
        let foreign = try session.fixture.file("foreign", MadeFile.bytes())
        let cases: [(path: String, passphrase: String, failure: String, code: Int32)] = [
            (session.fixture.path, other, "wrongPassphrase", 8), (session.fixture.path, empty, "refused", 17),
            (session.fixture.path, "/nowhere", "ioError", 15), (tampered, session.passphraseFile, "tampered", 9),
            (foreign, session.passphraseFile, "invalidContents", 10),
        ]
        for (path, passphrase, failure, code) in cases {
            let (text, json) = try session.inspect(path, ["--passphrase-file", passphrase])
            #expect(text.code == code, "\(failure)")
            #expect(text.output.contains("  check  ") && !text.output.contains("contents:"))
            #expect(text.output.contains("\nfile: whole, as far as can be seen without the passphrase\n"))
            #expect(json.verdict["class"] as? String == failure && json.contents == nil)
            #expect(json.fields.count == 16)
        }
    }

    @Test("a file that is refused is not opened, and no source of a passphrase is touched")
    func order() throws {
        let session = try CofferSession()
        var bytes = try session.fixture.bytes()
        bytes[300] ^= 1
        let damaged = try session.fixture.file("damaged", bytes)
        let seen = session.fixture.path + ".seen"
        let (text, json) = try session.inspect(damaged, ["--passphrase-command", "touch '\(seen)'"])
        #expect(text.code == 5 && json.verdict["class"] as? String == "damaged")
        #expect(try !session.fixture.files().contains("test.coffer.seen"))
        #expect(try session.runner.run(["inspect", "/nowhere", "--passphrase-file", "/nowhere"]).code == 19)
        let two = ["inspect", "--passphrase-file", "a", "--passphrase-command", "b"]
        let slip = try session.runner.run(two)
        #expect(slip.code == 2 && slip.bytes.isEmpty)
    }

    @Test("an old copy is shown as it is: nothing is compared with what was last seen, and nothing remembered")
    func fresh() throws {
        let session = try CofferSession()
        let old = try session.fixture.file("old", session.fixture.bytes())
        #expect(try session.run(["set", "a"], text: "1").code == 0)
        let remembered = session.fixture.remembered()
        let (text, json) = try open(session, old)
        #expect(text.code == 0 && json.contents?["generation"] as? Int == 1)
        #expect(session.fixture.remembered() == remembered)
        #expect(try session.run(["get", "a"]).output == "1")
    }

    @Test("a person is asked only with --ask, and then once")
    func asking() throws {
        let asking = try PromptSession()
        let (session, terminal) = (asking.session, asking.terminal)
        let silent = try asking.start(["inspect"])
        try terminal.expect("verdict: success")
        // If it asked after all, it would get an answer and end.
        usleep(200_000)
        terminal.type("no passphrase\n")
        #expect(try silent.wait() == .exited(0))
        terminal.drain()
        #expect(terminal.shown.contains("verdict: success") && !terminal.shown.contains("Passphrase of"))
        let child = try asking.start(["inspect", "--ask"])
        try terminal.expect("Passphrase of \"\(session.fixture.path)\": ")
        #expect(terminal.waitForEcho(false))
        terminal.type(TemporaryVault.passphrase + "\n")
        #expect(try child.wait() == .exited(0))
        terminal.drain()
        #expect(terminal.shown.contains("generation   1"))
        let (text, json) = try session.inspect(session.fixture.path, ["--ask", "--no-input"])
        #expect(text.code == 14 && json.verdict["class"] as? String == "locked")
        #expect(text.messages.contains("hint: give it with --passphrase-fd"))
    }
}
