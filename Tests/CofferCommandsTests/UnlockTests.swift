import Coffer
import Foundation
import Glibc
import TestSupport
import Testing

/// `unlock`, `lock`, `status` and `agent`, through the built program.
@Suite struct UnlockTests {
    @Test("an unlock lasts over commands until a lock")
    func unlockAndLock() throws {
        let session = try AgentSession()
        #expect(try session.session.run(["set", "a"], text: "value").code == 0)
        #expect(try session.run(["get", "a"]).code == 14)
        let unlocked = try session.unlock()
        #expect(unlocked.code == 0, "\(unlocked.messages)")
        #expect(unlocked.messages.contains("is unlocked and locks after 15m without use, and after 8h in any case"))
        #expect(unlocked.bytes.isEmpty)
        for _ in 0..<5 {
            let got = try session.run(["get", "a"])
            #expect(got.code == 0, "\(got.messages)")
            #expect(got.output == "value")
            #expect(got.messages.isEmpty)
        }
        let locked = try session.run(["lock"])
        #expect(locked.code == 0)
        #expect(locked.messages.contains("is locked"))
        let refused = try session.run(["get", "a"])
        #expect(refused.code == 14)
        #expect(refused.bytes.isEmpty)
        #expect(refused.messages.contains("coffer unlock"))
        // To lock what is locked is no failure.
        #expect(try session.run(["lock", "-q"]).messages.isEmpty)
    }

    @Test("without an agent lock, status and agent stop say so with 18, and start none")
    func noAgent() throws {
        let session = try AgentSession()
        for words in [["lock"], ["lock", "--all"], ["status"], ["agent", "stop"]] {
            let outcome = try session.run(words)
            #expect(outcome.code == 18, "\(words)")
            #expect(outcome.bytes.isEmpty)
            #expect(outcome.messages.contains("no agent is running, so no vault is unlocked"), "\(outcome.messages)")
        }
        let silent = try session.run(["status", "--quiet"])
        #expect(silent.code == 18)
        #expect(silent.bytes.isEmpty && silent.messages.isEmpty)
        let json = try session.status()
        #expect(json["state"] as? String == "locked")
        let agent = json["agent"] as? [String: Any]
        #expect(agent?["running"] as? Bool == false)
        #expect(agent?["socket"] as? String == session.runtime + "/agent.sock")
        #expect(try session.run(["list"]).code == 14)
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.runtime).isEmpty)
    }

    @Test("why an agent did not come up is told by who wanted it")
    func noStart() throws {
        let session = try AgentSession()
        let lock = session.runtime + "/agent.lock"
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        let outcome = try session.unlock()
        #expect(outcome.code == 18)
        #expect(outcome.messages.contains("\"\(lock)\": it is no file"), "\(outcome.messages)")
        #expect(outcome.bytes.isEmpty)
    }

    @Test("a vault that is not there, a wrong passphrase and a bad time unlock nothing")
    func refused() throws {
        let session = try AgentSession()
        let missing = try session.unlock(["--vault", session.fixture.path + ".none"])
        #expect(missing.code == 19)
        #expect(try session.run(["status", "-q"]).code == 18)
        let wrong = try session.fixture.file("wrong", Array("not the one".utf8))
        #expect(try session.run(["unlock", "--passphrase-file", wrong]).code == 8)
        #expect(try session.run(["status", "-q"]).code == 14)
        for time in ["0s", "15", "", "m", "1.5h", "-1m", "Never"] {
            for option in ["--idle", "--max"] {
                let outcome = try session.unlock([option, time])
                #expect(outcome.code == 2)
                #expect(outcome.messages.contains("\(option) is a whole number"))
            }
        }
        #expect(try session.run(["unlock", "--no-input"]).code == 14)
        #expect(try session.unlock(["--no-agent"]).code == 2)
    }

    @Test("a lock while the passphrase is asked for wins")
    func staleEpoch() throws {
        let session = try AgentSession()
        for lock in ["lock", "lock --all"] {
            let command = "'\(session.runner.program)' \(lock) -q && cat '\(session.session.passphraseFile)'"
            let outcome = try session.run(["unlock", "--passphrase-command", command])
            #expect(outcome.code == 14)
            #expect(outcome.messages.contains("a lock came while the passphrase was asked for"), "\(outcome.messages)")
            #expect(try session.run(["status", "-q"]).code == 14)
        }
        #expect(try session.unlock().code == 0)
        #expect(try session.run(["status", "-q"]).code == 0)
    }

    @Test("a vault in a directory whose name is no text is known by the path of a link")
    func notText() throws {
        let session = try AgentSession()
        let odd = Array((session.fixture.directory.path + "/odd").utf8).map { CChar(bitPattern: $0) } + [-1, 0]
        try #require(unsafe mkdir(odd, 0o700) == 0)
        let link = session.fixture.path + ".link"
        try #require(unsafe symlink(odd, link) == 0)
        let path = link + "/test.coffer"
        try FileManager.default.copyItem(atPath: session.fixture.path, toPath: session.fixture.path + ".kept")
        try #require(unsafe rename(session.fixture.path + ".kept", path) == 0)
        #expect(try session.unlock(["--vault", path]).code == 0)
        let status = try session.run(["status", "--vault", path])
        #expect(status.code == 0, "\(status.output)")
        #expect(!status.output.contains("also"))
    }

    @Test("status tells state, times, memory and socket, to people and to programs")
    func status() throws {
        let session = try AgentSession()
        #expect(try session.unlock(["--idle", "90m", "--max", "2d"]).code == 0)
        let text = try session.run(["status"])
        #expect(text.code == 0)
        for line in [
            "vault   \(session.fixture.path)", "state   unlocked", "locks   in 1h 30m without use, in 2d at the latest",
            "agent   \(session.runtime)/agent.sock",
        ] {
            #expect(text.output.split(separator: "\n").contains { $0 == line }, "\(text.output)")
        }
        #expect(text.output.contains("\nmemory  "))
        // Hibernation writes all memory to the disk.
        #expect(!text.output.contains("never in swap"))
        #expect(try session.run(["status", "-q"]).bytes.isEmpty)
        let json = try session.status()
        #expect(json["path"] as? String == session.fixture.path)
        #expect(json["state"] as? String == "unlocked")
        #expect((5_395...5_400).contains(json["idleSecondsLeft"] as? Int ?? 0))
        #expect((172_790...172_800).contains(json["maximumSecondsLeft"] as? Int ?? 0))
        #expect(json["memoryLocked"] is Bool)
        #expect((json["others"] as? [Any])?.isEmpty == true)
        #expect(
            try session.unlock(["--idle", "never", "--max", "never"]).messages.contains("locks when it is told to"))
        #expect(try session.run(["status"]).output.contains("locks   when it is told to\n"))
        #expect(try session.status()["idleSecondsLeft"] is NSNull)
    }

    @Test("a vault locks when nobody uses it, and status is no use")
    func idle() throws {
        let session = try AgentSession()
        #expect(try session.session.run(["set", "a"], text: "value").code == 0)
        #expect(try session.unlock(["--idle", "2s"]).code == 0)
        #expect(try session.waitUntilLocked())
        #expect(try session.run(["get", "a"]).code == 14)
        #expect(try session.unlock(["--idle", "never", "--max", "1s"]).code == 0)
        #expect(try session.waitUntilLocked())
    }

    @Test("several vaults are unlocked at once, under every spelling of their paths")
    func several() throws {
        let session = try AgentSession()
        let other = try TemporaryVault()
        let link = session.fixture.path + ".link"
        #expect(unsafe symlink(other.path, link) == 0)
        #expect(try session.unlock().code == 0)
        #expect(try session.unlock(["--vault", link]).code == 0)
        #expect(try session.run(["set", "of/other", "--vault", other.path], text: "v").code == 0)
        let dotted = other.directory.path + "/./../" + other.directory.lastPathComponent + "/test.coffer"
        #expect(try session.run(["get", "of/other", "--vault", dotted]).output == "v")
        #expect(try session.run(["get", "of/other"]).code == 16)
        let others = try session.status()["others"] as? [[String: Any]]
        #expect(others?.compactMap { $0["path"] as? String } == [other.path])
        #expect(try session.run(["status"]).output.contains("also    \(other.path): unlocked"))
        #expect(try session.run(["lock", "--vault", link]).code == 0)
        #expect(try session.run(["status", "-q", "--vault", other.path]).code == 14)
        #expect(try session.run(["status", "-q"]).code == 0)
        #expect(try session.unlock(["--vault", link]).code == 0)
        #expect(try session.run(["lock", "-a"]).messages.contains("all vaults are locked"))
        for path in [session.fixture.path, other.path] {
            #expect(try session.run(["status", "-q", "--vault", path]).code == 14)
        }
    }

    @Test("the agent is started, ended and never there twice")
    func agent() throws {
        let session = try AgentSession()
        let start = try session.run(["agent", "start"])
        #expect(start.code == 0, "\(start.messages)")
        #expect(start.messages.contains(session.runtime + "/agent.sock"))
        #expect(try session.run(["agent", "start"]).code == 0)
        let second = try session.run(["agent", "run"])
        #expect(second.code == 17)
        #expect(second.messages.contains("an agent is running already"))
        #expect(try session.run(["agent", "stop"]).code == 0)
        #expect(try session.run(["agent", "stop"]).code == 18)
        let unknown = try session.run(["agent", "sUperSecret"])
        #expect(unknown.code == 2)
        #expect(!unknown.messages.contains("ecret"))
        #expect(try session.run(["agent", "start", "--ready-fd", "5"]).code == 2)
        #expect(try session.run(["agent", "run", "--ready-fd", "2"]).code == 2)
        #expect(try session.run(["agent", "run", "--ready-fd", "99"]).code == 15)
    }
}
