import Coffer
import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

/// The verbs that read and change settings, through the agent.
@Suite struct AgentAccessTests {
    @Test("every verb says and does the same through the agent as in a process of its own")
    func parity() throws {
        let agent = try AgentSession()
        let local = try CofferSession()
        #expect(try agent.unlock().code == 0)
        let script: [(words: [String], text: String)] = [
            (["get", "absent"], ""), (["set", "a"], "one"), (["set", "a"], "two"), (["get", "a"], ""),
            (["get", "a", "--json"], ""), (["set", "n", "--type", "integer"], "42"), (["set", "a", "--generate"], ""),
            (["set", "n"], "text now"), (["set", "empty"], ""), (["set", "e\u{301}"], "accent"),
            (["get", "\u{E9}"], ""),
            (["get", "e\u{301}", "a", "\u{E9}", "--json"], ""), (["get", "a", "absent", "-0"], ""),
            (["get", "a", "n", "-0"], ""),
            (["set", "j", "--type", "json"], "{\"k\": [1, true, {\"$data\": \"AP8=\"}]}"),
            (["get", "j"], ""), (["get", "j", "a", "--json"], ""), (["set", "d", "--type", "data"], "\0\u{1}"),
            (["get", "d"], ""), (["get", "d", "a", "-0"], ""), (["undo", "a"], ""), (["get", "a"], ""),
            (["undo", "a"], ""), (["undo", "d"], ""), (["undo", "absent"], ""), (["rename", "a", "n"], ""),
            (["rename", "absent", "b"], ""), (["rename", "a", "b"], ""), (["rename", "b", "b"], ""),
            (["rename", "b", "n", "--force"], ""), (["get", "n"], ""), (["undo", "n"], ""), (["get", "n"], ""),
            (["list"], ""), (["list", "e"], ""), (["list", "--older-than", "1d"], ""), (["unset", "n", "absent"], ""),
            (["unset", "d", "d"], ""), (["unset", "j", "n", "--undoable"], ""), (["list"], ""),
            (["unset", "n", "--undoable"], ""), (["undo", "j"], ""), (["get", "j"], ""), (["unset", "n"], ""),
            (["undo", "n"], ""), (["unset", "\u{E9}", "e\u{301}"], ""), (["list"], ""),
            (["set", String(repeating: "n", count: 1_025)], "v"), (["get", String(repeating: "n", count: 1_025)], ""),
            (["rename", "j", "a\u{7}"], ""), (["get", Self.longName], ""), (["get", "j", Self.longName, "-0"], ""),
            (["get", Self.longName, "j", "--json"], ""), (["unset", Self.longName], ""), (["undo", Self.longName], ""),
            (["rename", Self.longName, "k"], ""),
        ]
        let warning = try local.run(["list"]).messages
        #expect(warning.contains("cheap to guess"))
        for (words, text) in script {
            let through = try agent.run(words, text: text)
            let own = try local.run(words, text: text)
            #expect(through.code == own.code, "\(words): \(through.messages) / \(own.messages)")
            #expect(through.bytes == own.bytes, "\(words)")
            let told = through.messages.replacingOccurrences(of: agent.fixture.path, with: local.fixture.path)
            // The warning of a cheap passphrase is told at the unlock.
            let rest = own.messages.hasPrefix(warning) ? own.messages.dropFirst(warning.count) : own.messages[...]
            #expect(told == rest, "\(words)")
        }
    }

    /// More than the agent takes, so no vault has a setting of this name.
    private static let longName = String(repeating: "n", count: 5_000)

    @Test("without the vault in the agent, a name that is too long for it is one for the passphrase")
    func longNames() throws {
        let session = try AgentSession()
        #expect(try session.run(["agent", "start"]).code == 0)
        for words in [["get", Self.longName], ["unset", Self.longName], ["undo", Self.longName]] {
            let outcome = try session.run(words)
            #expect(outcome.code == 14)
            #expect(!outcome.messages.contains("--no-agent"), "\(outcome.messages)")
        }
    }

    @Test("what the agent acknowledged is in the file, and nothing of it needs the agent")
    func durable() throws {
        let session = try AgentSession()
        #expect(try session.unlock().code == 0)
        for number in 1...20 { #expect(try session.run(["set", "s\(number)"], text: "v\(number)").code == 0) }
        #expect(try session.session.value("s20") == Array("v20".utf8))
        #expect(try session.fixture.unlocked().names().count == 20)
        // And the other way: the agent notices what others save.
        #expect(try session.session.run(["set", "s1"], text: "by another").code == 0)
        #expect(try session.run(["set", "s2"], text: "after it").code == 0)
        #expect(try session.run(["get", "s1", "s2", "-0"]).bytes == Array("by another\0after it\0".utf8))
    }

    @Test("large values pass unchanged", arguments: [1, 64 << 10, 15 << 20])
    func sizes(count: Int) throws {
        let session = try AgentSession()
        #expect(try session.unlock().code == 0)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let set = try session.runner.run(["set", "v", "--type", "data"], input: bytes)
        #expect(set.code == 0, "\(set.messages)")
        #expect(try session.runner.run(["get", "v"]).bytes == bytes)
    }

    @Test("a passphrase option is taken at its word, and --no-agent asks no agent")
    func bypass() throws {
        let session = try AgentSession()
        #expect(try session.unlock().code == 0)
        #expect(try session.run(["list"]).code == 0)
        let wrong = try session.fixture.file("wrong", Array("not the one".utf8))
        #expect(try session.run(["list", "--passphrase-file", wrong]).code == 8)
        #expect(try session.run(["list", "--no-agent"]).code == 14)
        #expect(try session.run(["--no-agent", "get", "a"]).code == 14)
        let both = try session.run(["set", "b", "--passphrase-fd", "0"], text: "\(TemporaryVault.passphrase)\nvalue")
        #expect(both.code == 0)
        #expect(try session.run(["get", "b"]).output == "value")
    }

    @Test("a change of the passphrase asks for it again, and locks the vault in the agent")
    func passphrase() throws {
        let session = try AgentSession()
        #expect(try session.session.run(["set", "a"], text: "value").code == 0)
        #expect(try session.unlock().code == 0)
        #expect(try session.run(["passphrase", "--no-input"]).code == 14)
        #expect(try session.run(["get", "a"]).code == 0)
        let new = try session.fixture.file("new", Array("four other random words".utf8))
        let changed = try session.session.run(["passphrase", "--new-passphrase-file", new, "--cost", "3,64M"])
        #expect(changed.code == 0, "\(changed.messages)")
        #expect(try session.waitUntilLocked())
        #expect(try session.run(["get", "a"]).code == 14)
        #expect(try session.run(["unlock", "--passphrase-file", new]).code == 0)
        #expect(try session.run(["get", "a"]).output == "value")
    }

    @Test("inspect shows what is inside a vault that is unlocked in the agent, and only of that file")
    func inspect() throws {
        let session = try AgentSession()
        let copy = session.fixture.path + ".copy"
        #expect(try session.session.run(["set", "a"], text: "value").code == 0)
        try FileManager.default.copyItem(atPath: session.fixture.path, toPath: copy)
        func contents(_ words: [String]) throws -> [String: Any]? {
            let outcome = try session.run(["inspect", "--json"] + words)
            #expect(outcome.code == 0, "\(outcome.messages)")
            return (try JSONSerialization.jsonObject(with: Data(outcome.bytes)) as? [String: Any])?["contents"]
                as? [String: Any]
        }
        #expect(try contents([]) == nil)
        #expect(try session.unlock().code == 0)
        let asked = try session.session.run(["inspect", "--json"])
        #expect(try session.run(["inspect", "--json"]).bytes == asked.bytes)
        #expect(try contents([])?["settings"] as? Int == 1)
        #expect(try contents([copy]) == nil)
        #expect(try contents(["--no-agent"]) == nil)
        #expect(try session.run(["inspect"]).output == session.session.run(["inspect"]).output)
        #expect(try session.run(["inspect", "--ask", copy]).code == 14)
    }

    @Test("an agent that was killed leaves nothing that hinders a passphrase or another agent")
    func killed() throws {
        let session = try AgentSession()
        #expect(try session.unlock().code == 0)
        let pid = try Self.pids(of: session.runtime)
        #expect(pid.count == 1)
        for number in pid { kill(number, SIGKILL) }
        #expect(try session.run(["status", "-q"]).code == 18)
        #expect(try session.session.run(["list"]).code == 0)
        #expect(try session.run(["list"]).code == 14)
        #expect(try session.unlock().code == 0)
        #expect(try session.run(["list"]).code == 0)
    }

    /// The agents whose environment names a runtime directory; their own is out of reach, so by their command lines.
    private static func pids(of runtime: String) throws -> [pid_t] {
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        var status = stat()
        guard unsafe stat(runtime + "/agent.lock", &status) == 0 else { return [] }
        let inode = ":\(status.st_ino)"
        return locks.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 5, words[5].hasSuffix(inode) else { return nil }
            return pid_t(words[4])
        }
    }
}
