import CofferAgent
import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

/// What a person does from the terminal, from the first unlock to the lock.
@Suite struct EndToEndTests {
    #if DEBUG
        // The release has the thousand; here each takes longer and shows nothing more.
        private static let reads = 200
    #else
        private static let reads = 1_000
    #endif

    @Test("unlock starts an agent that serves a thousand reads, and after lock none")
    func day() throws {
        let home = try AgentHome()
        #expect(try home.run(["status", "-q"]).code == 18)
        #expect(try home.run(["get", "first"]).code == 14)
        try home.unlock()
        #expect(try home.run(["status", "-q"]).code == 0)
        for (name, value) in home.values { #expect(try home.run(["get", name]).bytes == value) }
        let client = try home.client()
        for number in 0..<Self.reads {
            let name = number.isMultiple(of: 2) ? "first" : "second"
            try #require(try home.run(["get", name]).bytes == home.values[name])
        }
        #expect(try client.get("first") == home.values["first"])
        #expect(try home.run(["lock"]).code == 0)
        #expect(try home.run(["status", "-q"]).code == 14)
        #expect(try home.run(["get", "first"]).code == 14)
        #expect(throws: AgentClient.Unexpected.self) { try client.get("first") }
        #expect(try home.run(["agent", "stop"]).code == 0)
        #expect(try home.run(["status", "-q"]).code == 18)
    }

    @Test("a vault locks after two seconds without use, however often its status is asked for")
    func idle() throws {
        let home = try AgentHome()
        try home.unlock(["--idle", "2s", "--max", "never"])
        let client = try home.client()
        // Used for longer than that, it stays.
        let begin = ContinuousClock.now
        while ContinuousClock.now < begin + .milliseconds(2_500) {
            #expect(try client.get("first") != nil)
            usleep(100_000)
        }
        let last = ContinuousClock.now
        #expect(try client.get("first") != nil)
        #expect(try waitUntil { try client.status().isEmpty })
        #expect(ContinuousClock.now - last >= .milliseconds(1_900))
        #expect(try home.run(["get", "first"]).code == 14)
    }

    @Test("a vault locks after its longest time, however much it is used")
    func maximum() throws {
        let home = try AgentHome()
        let begin = ContinuousClock.now
        try home.unlock(["--idle", "never", "--max", "2s"])
        let client = try home.client()
        #expect(try client.get("first") != nil)
        #expect(waitUntil { (try? client.get("first")) == nil })
        #expect(ContinuousClock.now - begin >= .milliseconds(1_900))
        #expect(try client.status().isEmpty)
        #expect(try home.run(["get", "first"]).code == 14)
    }

    @Test("a signal locks everything and ends the agent", arguments: [SIGTERM, SIGINT, SIGHUP])
    func signals(number: Int32) throws {
        let home = try AgentHome()
        try home.start()
        // What it is found by; one that a command started would be called `exe`.
        #expect(try String(contentsOfFile: "/proc/\(home.agent)/comm", encoding: .utf8) == "coffer-agent\n")
        try home.unlock()
        #expect(try home.run(["get", "first"]).bytes == home.values["first"])
        kill(home.agent, number)
        #expect(try home.waitForEnd() == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: home.location.socketPath))
        #expect(try home.run(["status", "-q"]).code == 18)
        #expect(try home.run(["get", "first"]).code == 14)
    }

    @Test("a lock that comes while a passphrase is derived wins")
    func lockDuringDerivation() throws {
        // The key comes to the agent a second after the lock, or later.
        let home = try AgentHome(derivation: KeyDerivation(passes: 16, memoryKiB: 131_072))
        try home.start()
        let (program, words) = MemoryScan.visible(home.runner.program, ["unlock", "--passphrase-fd", "0"])
        let child = try MemoryScanChild(program, words, environment: home.runner.environment)
        let client = try home.client()
        try MemoryScan.looking {
            // By then it has asked for the epoch.
            try child.waitUntilBlocked(in: .read, on: 0)
            try child.send(home.passphrase + [10])
            child.closeInput()
            try client.lockAll()
            #expect(child.status() == 14)
            let told = child.standardError()
            #expect(told.contains("a lock came"), "\(told)")
            #expect(try client.status().isEmpty)
        }
    }
}
