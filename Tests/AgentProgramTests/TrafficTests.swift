import Coffer
import CofferAgent
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultFile

/// Values of all sizes, and many clients at once.
@Suite struct TrafficTests {
    @Test(
        "values of one byte, 64 KiB and 16 MiB pass unchanged, through the program", arguments: [1, 64 << 10, 16 << 20])
    func sizes(count: Int) throws {
        let home = try AgentHome()
        try home.start()
        try home.unlock()
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word = generator.next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        bytes.removeLast(bytes.count - count)
        let set = try home.runner.run(["set", "v", "--type", "data"], input: bytes)
        #expect(set.code == 0, "\(set.messages)")
        #expect(try home.runner.run(["get", "v"]).bytes == bytes)
        #expect(try home.client().get("v") == bytes)
        // And in the file.
        let own = try home.runner.run(["get", "v", "--no-agent", "--passphrase-file", home.passphraseFile])
        #expect(own.bytes == bytes)
    }

    @Test("every change that was acknowledged to one of eight clients is in the file at the end")
    func eightClients() throws {
        let home = try AgentHome()
        try home.start()
        try home.unlock()
        let before = try home.client().set("begin", [1])
        let failures = Mutex<[String]>([])
        let generations = Mutex<[UInt64]>([])
        let (location, vault) = (home.location, home.vault)
        let each = 125
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            do {
                let client = try AgentClient(location, vault: vault)
                for round in 0..<each {
                    let value = Array("\(number) \(round)".utf8)
                    let generation = try client.set("c\(number)r\(round)", value)
                    generations.withLock { $0.append(generation) }
                    let read = round.isMultiple(of: 3) ? round : round / 2
                    let found = try client.get("c\(number)r\(read)")
                    if found != Array("\(number) \(read)".utf8) {
                        failures.withLock { $0.append("client \(number) read something else at \(read)") }
                    }
                    if round.isMultiple(of: 5), try client.status().first?.lockState != .unlocked {
                        failures.withLock { $0.append("client \(number) found it locked") }
                    }
                }
            } catch {
                failures.withLock { $0.append("client \(number): \(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        // One save for each of them, and none lost.
        #expect(generations.withLock { $0.sorted() } == (1...UInt64(8 * each)).map { before + $0 })
        kill(home.agent, SIGKILL)
        _ = try home.waitForEnd()
        let unlocked = try AgentHome.settings(home.vault, home.passphrase)
        for number in 0..<8 {
            for round in 0..<each {
                #expect(unlocked["c\(number)r\(round)"] == Array("\(number) \(round)".utf8))
            }
        }
        #expect(unlocked.count == 8 * each + 3)
    }
}
