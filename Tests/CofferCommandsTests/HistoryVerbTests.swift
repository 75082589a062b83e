import Coffer
import Foundation
import TestSupport
import Testing
import VaultFile

/// `undo`, `unset --undoable` and the ages of `list`.
@Suite struct HistoryVerbTests {
    private static let day: Int64 = 86_400_000

    /// Sets settings some days ago, through the library.
    private func set(_ names: [String], daysAgo days: Int64, in session: CofferSession) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        var surroundings = VaultSurroundings()
        surroundings.wallClock = { now - days * Self.day }
        let vault = Vault(at: .file(session.fixture.path), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        try vault.update { draft in
            for name in names { draft.set(SettingKey(name, default: ""), to: "of \(days) days") }
        }
    }

    @Test("undo brings back the value from before, and says so without the value")
    func undo() throws {
        let session = try CofferSession()
        for value in ["first value", "second value"] { #expect(try session.run(["set", "a"], text: value).code == 0) }
        let outcome = try session.run(["undo", "a"])
        #expect(outcome.code == 0)
        #expect(outcome.bytes.isEmpty)
        #expect(outcome.messages.contains("\"a\" has the value from before its last change again"))
        #expect(!outcome.messages.contains("first") && !outcome.messages.contains("second"))
        #expect(try session.value("a") == Array("first value".utf8))
        #expect(try session.run(["undo", "a", "-q"]).messages.isEmpty)
        #expect(try session.value("a") == Array("second value".utf8))
    }

    @Test("undo of an absent name is not found, and of one that has no past refused")
    func nothingToUndo() throws {
        let session = try CofferSession()
        #expect(try session.run(["undo", "a"]).code == 16)
        #expect(try session.run(["set", "a"], text: "v").code == 0)
        let refused = try session.run(["undo", "a"])
        #expect(refused.code == 17)
        #expect(refused.messages.contains("nothing to undo for \"a\""))
        #expect(try session.run(["undo"]).code == 2)
        #expect(try session.run(["undo", "a", "b"]).code == 2)
    }

    @Test("unset forgets a value unless it is to be undone")
    func unset() throws {
        let session = try CofferSession()
        for name in ["a", "b", "c"] { #expect(try session.run(["set", name], text: "of \(name)").code == 0) }
        #expect(try session.run(["unset", "a"]).code == 0)
        #expect(try session.run(["undo", "a"]).code == 16)
        #expect(try session.run(["unset", "b", "c", "b", "--undoable"]).code == 0)
        #expect(try session.run(["list"]).output.isEmpty)
        #expect(try session.run(["undo", "b"]).messages.contains("\"b\" is back"))
        #expect(try session.value("b") == Array("of b".utf8))
        // What was kept is forgotten as the help says: by another unset.
        #expect(try session.run(["unset", "c", "--undoable"]).code == 16)
        #expect(try session.run(["unset", "c"]).code == 0)
        #expect(try session.run(["undo", "c"]).code == 16)
        #expect(try session.run(["unset", "c"]).code == 16)
    }

    @Test("list --older-than shows what is due, with its age, and hides nothing of unknown age")
    func olderThan() throws {
        let session = try CofferSession()
        try set(["old", "x/old"], daysAgo: 91, in: session)
        try set(["new"], daysAgo: 89, in: session)
        let due = try session.run(["list", "--older-than", "90d"])
        #expect(due.output == "old\tstring\t91d\nx/old\tstring\t91d\n")
        #expect(try session.run(["list", "x/", "--older-than=90d"]).output == "x/old\tstring\t91d\n")
        #expect(try session.run(["list", "--older-than", "1y"]).output.isEmpty)
        #expect(try session.run(["list"]).output == "new\tstring\nold\tstring\nx/old\tstring\n")
        try session.setWithoutAge("unknown")
        let all = try session.run(["list", "--older-than", "90d"])
        #expect(all.output == "old\tstring\t91d\nunknown\tstring\tunknown\nx/old\tstring\t91d\n")
        #expect(all.messages.contains("the age of one of them is not known"))
        let json = try JSONSerialization.jsonObject(with: Data(session.run(["list", "--json"]).bytes))
        let rows = try #require(json as? [[String: Any]])
        let modified = rows.map { $0["modified"] }
        #expect(modified[2] is NSNull)
        let text = try #require(modified[0] as? String)
        let date = try #require(ISO8601DateFormatter().date(from: text))
        #expect(abs(date.timeIntervalSinceNow + 89 * 86_400) < 600)
    }

    @Test(
        "a duration that is none is a slip of the command line",
        arguments: ["", "90", "d", "1.5d", "-1d", "90 d", "1D"])
    func badDuration(text: String) throws {
        let session = try CofferSession()
        let outcome = try session.run(["list", "--older-than", text])
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("--older-than is a whole number"))
    }
}

extension CofferSession {
    /// Makes a setting of unknown age, as a clock that stands before 1970 does.
    fileprivate func setWithoutAge(_ name: String) throws {
        var surroundings = VaultSurroundings()
        surroundings.wallClock = { -1 }
        let vault = Vault(at: .file(fixture.path), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        try vault.update { draft in draft.set(SettingKey(name, default: ""), to: "v") }
    }
}
