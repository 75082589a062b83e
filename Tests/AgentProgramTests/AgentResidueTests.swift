import Coffer
import CofferAgent
import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

/// What the memory of an agent holds, looked at from outside.
@Suite struct AgentResidueTests {
    /// An agent that is looked at.
    private struct Watched {
        let home: AgentHome
        var secrets: [String: [UInt8]]

        /// - Parameters:
        ///   - hasSeams: whether the machine of the agent sleeps when a test says so.
        ///   - shell: what a shell does before it becomes the agent.
        init(hasSeams: Bool = false, after shell: String = ":") throws {
            home = try AgentHome()
            secrets = home.values
            secrets["passphrase"] = home.passphrase
            secrets["key"] = try home.key()
            secrets["absent"] = canary()
            if hasSeams { try home.startWithSeams() } else { try home.start(after: shell) }
        }

        /// Looks until each of some secrets stands once, in guarded memory, and no other one anywhere. What was freed a
        /// moment ago may need another one to be gone.
        func expect(
            _ once: Set<String>, everything: Bool = false, _ when: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let scan = MemoryScan(secrets.merging(["control": home.control]) { $1 })
            _ = try MemoryScan.looking {
                var report = try scan.run(home.agent, everything: everything)
                _ = try waitUntil(within: 30) {
                    if wrong(report, once).isEmpty { return true }
                    report = try scan.run(home.agent, everything: everything)
                    return false
                }
                let found = wrong(report, once)
                #expect(found.isEmpty, "\(when): \(found): \(report)", sourceLocation: sourceLocation)
                // It stands in the environment: a scan that saw nothing would not find it either.
                #expect(!report["control"].isEmpty, sourceLocation: sourceLocation)
            }
        }

        private func wrong(_ report: MemoryScan.Report, _ once: Set<String>) -> [String] {
            secrets.keys.filter { name in
                once.contains(name) ? !report.holdsOneGuardedCopy(of: name) : !report[name].isEmpty
            }.sorted()
        }
    }

    private static let open: Set = ["first", "second", "key"]

    @Test("unlocked: one copy of each value and never the passphrase, also after traffic; locked: nothing")
    func lifetime() throws {
        var watched = try Watched()
        let home = watched.home
        try watched.expect([], "started")
        try home.unlock()
        try watched.expect(Self.open, "unlocked")

        let added = canary()
        watched.secrets["added"] = added
        let client = try home.client()
        for _ in 0..<50 {
            #expect(try client.get("first") == home.values["first"])
            #expect(try client.get("absent") == nil)
        }
        #expect(try home.run(["get", "second"]).bytes == home.values["second"])
        #expect(try home.run(["set", "added"], text: String(decoding: added, as: UTF8.self)).code == 0)
        for number in 0..<5 { try client.set("other\(number)", canary()) }
        #expect(try client.names().count == 8)
        #expect(try home.run(["list"]).code == 0)
        #expect(try home.run(["inspect"]).code == 0)
        try watched.expect(Self.open.union(["added"]), "after traffic")

        #expect(try home.run(["lock"]).code == 0)
        try watched.expect([], everything: true, "locked")
    }

    @Test("what locks by time leaves nothing, although nobody asks", arguments: ["--idle", "--max"])
    func deadlines(option: String) throws {
        let watched = try Watched()
        try watched.home.unlock(
            option == "--idle" ? ["--idle", "1s", "--max", "never"] : ["--idle", "never", "--max", "1s"])
        let client = try watched.home.client()
        _ = try? client.get("first")
        try watched.expect([], option)
        #expect(try client.status().isEmpty)
    }

    @Test("a sleep of the machine leaves nothing, although nobody asks")
    func sleep() throws {
        let watched = try Watched(hasSeams: true)
        try watched.home.unlock(["--idle", "never", "--max", "never"])
        try watched.expect(Self.open, "unlocked")
        try watched.home.happen("sleep")
        try watched.expect([], "slept")
        #expect(try watched.home.run(["status", "-q"]).code == 14)
        #expect(try watched.home.run(["get", "first"]).code == 14)
    }

    @Test("a want of memory leaves the key and no value; the next read has the values again")
    func pressure() throws {
        let watched = try Watched(hasSeams: true)
        let home = watched.home
        try home.unlock()
        #expect(try home.run(["get", "first"]).bytes == home.values["first"])
        try watched.expect(Self.open, "unlocked")
        try home.happen("pressure")
        try watched.expect(["key"], "under pressure")
        #expect(try home.run(["status", "-q"]).code == 0)
        #expect(try home.run(["get", "first"]).bytes == home.values["first"])
        try watched.expect(Self.open, "read again")
    }

    @Test("a passphrase that is changed elsewhere leaves nothing of the old key, although nobody asks")
    func changedPassphrase() throws {
        let watched = try Watched()
        let home = watched.home
        try home.unlock()
        try watched.expect(Self.open, "unlocked")
        let new = canary(32)
        let file = "\(home.root)/new"
        try Data(new).write(to: URL(fileURLWithPath: file))
        let outcome = try home.run([
            "passphrase", "--passphrase-file", home.passphraseFile, "--new-passphrase-file", file,
        ])
        #expect(outcome.code == 0, "\(outcome.messages)")
        try watched.expect([], "changed")
        #expect(try home.run(["get", "first"]).code == 14)
    }

    @Test("a key that came too late, and a wrong one, leave nothing")
    func refusedKeys() throws {
        var watched = try Watched()
        let (wrong, key) = (canary(32), try watched.home.key())
        watched.secrets["wrong key"] = wrong
        let client = try watched.home.client()
        let epoch = try client.epoch()
        try client.lockAll()
        #expect(try client.unlock(key, epoch: epoch) == .staleEpoch)
        try watched.expect([], "too late")
        #expect(try client.unlock(wrong, epoch: client.epoch()) == .vault(.wrongPassphrase))
        try watched.expect([], "wrong")
        // The same key in time is taken, so it was the right one.
        #expect(try client.unlock(key, epoch: client.epoch()) == nil)
        try watched.expect(Self.open, "in time")
    }

    @Test("a client that is gone in the middle of a set leaves nothing of it")
    func killedClient() throws {
        var watched = try Watched()
        let home = watched.home
        try home.unlock()
        let lost = canary()
        let value = canary(100_000) + lost + canary(100_000)
        watched.secrets["lost"] = lost
        let frame = try RawClient.bytes(AgentClient.change(home.vault, "large", value))
        let client = try RawClient(home.location)
        try client.greet()
        client.send(Array(frame.dropLast(50_000)))
        // It is there for as long as the rest may come.
        try watched.expect(Self.open.union(["lost"]), "half of it has come")
        client.close()
        try watched.expect(Self.open, "gone")
        #expect(try home.client().get("large") == nil)

        // One that goes before the answer: the save is made, and held once.
        let other = try RawClient(home.location)
        try other.greet()
        other.send(frame)
        other.close()
        #expect(try waitUntil { try home.client().get("large") == value })
        try watched.expect(Self.open.union(["lost"]), "saved")
        try home.client().lockAll()
        try watched.expect([], "locked")
    }

    @Test("a save that cannot be written leaves nothing of what it was to save")
    func unwritable() throws {
        // The file has more bytes than that.
        var watched = try Watched(after: "trap '' XFSZ; ulimit -f 2")
        let home = watched.home
        try home.unlock()
        let lost = canary()
        watched.secrets["lost"] = lost
        for _ in 0..<2 {
            let outcome = try home.run(["set", "lost"], text: String(decoding: lost, as: UTF8.self))
            #expect(outcome.code == 15, "\(outcome.messages)")
        }
        try watched.expect(Self.open, "refused")
        try home.client().lockAll()
        try watched.expect([], everything: true, "locked")
    }

    @Test("a crash leaves no core, and no secret in what is said of it", arguments: [SIGSEGV, SIGABRT])
    func crash(signal: Int32) throws {
        func cores(_ home: AgentHome) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: home.root).filter { $0.contains("core") }
                .filter { $0 != "known.coffer" && !$0.hasPrefix(".known.coffer") }
        }
        let home = try AgentHome()
        try home.start(
            after: "ulimit -c unlimited", environment: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"])
        try home.unlock()
        let client = try home.client()
        #expect(try client.get("first") != nil)
        kill(home.agent, signal)
        #expect(try home.waitForEnd() == .killed(signal))
        #expect(try cores(home) == [])
        let said = try Data(contentsOf: URL(fileURLWithPath: home.log))
        for secret in [home.passphrase, try home.key()] + Array(home.values.values) {
            for start in stride(from: 0, through: secret.count - 16, by: 8) {
                let piece = Data(secret[start..<start + 16])
                #expect(said.range(of: piece) == nil)
                let hex = piece.map { String(format: "%02x", $0) }
                #expect(said.range(of: Data(hex.joined(separator: " ").utf8)) == nil)
                #expect(said.range(of: Data(hex.joined().utf8)) == nil)
            }
        }
        // Where another program leaves a core, the agent would have too.
        _ = try CommandRunner("/bin/bash").run(
            ["-c", "cd '\(home.root)'; ulimit -c unlimited; exec /bin/bash -c 'kill -SEGV $$'"])
        if try cores(home) == [] { skipped("this system writes no core files to look for") }
    }
}
