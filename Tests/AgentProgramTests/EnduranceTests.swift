import CSystem
import CofferAgent
import Foundation
import Glibc
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

/// What the agent stands while it serves others.
@Suite struct EnduranceTests {
    /// What a run on another thread gave.
    private final class Ended: Sendable {
        private let outcome = Mutex<CommandRunner.Outcome?>(nil)

        func put(_ value: CommandRunner.Outcome?) { outcome.withLock { $0 = value } }
        func take() -> CommandRunner.Outcome? { outcome.withLock { $0 } }
    }

    private func length(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

    @Test("clients that misbehave keep nobody waiting, no deadline from acting, and take no memory")
    func hostileClients() throws {
        let home = try AgentHome()
        try home.start()
        try home.unlock(["--idle", "never", "--max", "never"])
        let second = "\(home.root)/second.coffer"
        try AgentHome.make(second, home.passphrase, TemporaryVault.cheap, ["first": canary()])
        let client = try home.client()
        let before = try home.memory("VmRSS")

        // A thousand that say nothing.
        var limit = rlimit()
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        unsafe getrlimit(descriptors, &limit)
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        unsafe setrlimit(descriptors, &limit)
        let idle = try (0..<1_000).map { _ in try RawClient(home.location) }
        // Half a frame, huge lengths with some bytes behind, nonsense, and a request byte by byte.
        let halves = try (0..<50).map { number in
            let raw = try RawClient(home.location)
            try raw.greet()
            raw.send(length(UInt32(AgentProtocol.maximumFrame)) + [UInt8](repeating: 9, count: number * 100))
            return raw
        }
        let nonsense = try (0..<50).map { number in
            let raw = try RawClient(home.location)
            if number.isMultiple(of: 2) { try raw.greet() }
            let body = [200] + (0..<number).map { _ in UInt8.random(in: 0...255) }
            raw.send(number.isMultiple(of: 5) ? length(.max) + body : length(UInt32(body.count)) + body)
            return raw
        }
        let slow = try RawClient(home.location)
        try slow.greet()
        for byte in try RawClient.bytes(.status) {
            slow.send([byte])
            try #require(try client.get("first") == home.values["first"])
        }
        #expect(slow.reply() != nil)
        #expect(nonsense.allSatisfy { $0.isEnded() })

        // The deadline of another vault acts meanwhile.
        let unlocked = try home.runner.run(
            ["unlock", "--vault", second, "--idle", "1s", "--passphrase-file", home.passphraseFile])
        #expect(unlocked.code == 0, "\(unlocked.messages)")
        #expect(try waitUntil { try client.status().count == 1 })
        #expect(try home.run(["get", "second"]).bytes == home.values["second"])
        #expect(try home.run(["set", "third"], text: "3").code == 0)
        #expect(try client.get("third") == Array("3".utf8))
        let grown = try home.memory("VmRSS") - before
        #expect(grown < 65_536, "\(grown) KiB")
        withExtendedLifetime((idle, halves)) {}
    }

    @Test("frames that are begun and never ended take no more memory than there is for them")
    func memoryBudget() throws {
        let home = try AgentHome()
        try home.start()
        try home.unlock()
        let before = try home.memory("VmRSS")
        // 320 MB, if it took them all.
        let clients = try (0..<20).map { _ in
            let raw = try RawClient(home.location)
            try raw.greet()
            raw.send(length(UInt32(AgentProtocol.maximumFrame)) + [UInt8](repeating: 9, count: 16 << 20))
            return raw
        }
        #expect(try home.run(["get", "first"]).bytes == home.values["first"])
        #expect(try home.run(["set", "third"], text: "3").code == 0)
        let peak = try home.memory("VmHWM") - before
        #expect(peak < 320 << 10, "\(peak) KiB")
        for client in clients { client.close() }
        #expect(try waitUntil { try home.memory("VmRSS") - before < 65_536 })
    }

    @Test("with 64 descriptors in all, a hundred clients are served one after the other")
    func descriptors() throws {
        let home = try AgentHome()
        try home.start(after: "ulimit -n 64")
        try home.unlock()
        let idle = try (0..<100).map { _ in try RawClient(home.location) }
        for _ in 0..<3 {
            #expect(try home.run(["get", "first"]).bytes == home.values["first"])
            #expect(try home.run(["set", "third"], text: "3").code == 0)
        }
        // Two at a time are no quarrel.
        let (one, other) = (try home.client(), try home.client())
        for _ in 0..<20 {
            #expect(try one.get("first") == home.values["first"])
            #expect(try other.get("second") == home.values["second"])
        }
        withExtendedLifetime(idle) {}
    }

    @Test("a full drive refuses a set, says so, and harms nothing", .enabled(if: geteuid() == 0))
    func fullDisk() throws {
        let home = try AgentHome()
        let drive = "\(home.root)/drive"
        unsafe mkdir(drive, 0o700)
        let mounted = try CommandRunner("/usr/bin/mount").run(["-t", "tmpfs", "-o", "size=1m", "tmpfs", drive])
        guard mounted.code == 0 else { return skipped("no small drive can be mounted here") }
        defer { _ = try? CommandRunner("/usr/bin/umount").run(["-l", drive]) }
        let vault = "\(drive)/v.coffer"
        try AgentHome.make(vault, home.passphrase, TemporaryVault.cheap, home.values)
        try home.start()
        try home.unlock(["--vault", vault])
        let client = try AgentClient(home.location, vault: vault)
        let kept = canary(200_000)
        try client.set("kept", kept)
        let generation = try client.set("also", [7])
        for _ in 0..<2 {
            let full = try home.runner.run(
                ["set", "large", "--vault", vault, "--type", "data"], input: canary(900_000))
            #expect(full.code == 15)
            #expect(full.messages.contains("No space left"), "\(full.messages)")
            #expect(try client.get("kept") == kept)
            #expect(try client.get("large") == nil)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: drive).sorted()
        #expect(files == [".v.coffer.lock", "v.coffer"], "\(files)")
        #expect(try AgentHome.settings(vault, home.passphrase)["kept"] == kept)
        #expect(try client.set("also", [8]) == generation + 1)
        #expect(try AgentHome.settings(vault, home.passphrase)["also"] == [8])
    }

    @Test("who waits for the lock of a file is told after five seconds, and others are served meanwhile")
    func heldLock() throws {
        let home = try AgentHome()
        try home.start()
        try home.unlock(["--idle", "never", "--max", "never"])
        let second = "\(home.root)/second.coffer"
        try AgentHome.make(second, home.passphrase, TemporaryVault.cheap, ["first": canary()])
        let lock = unsafe open("\(home.root)/.known.coffer.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(lock) }
        try #require(cs_flock(lock, LOCK_EX) == 0)
        let ended = Occurrences()
        let outcome = Ended()
        let runner = home.runner
        let begin = ContinuousClock.now
        Thread.detachNewThread {
            outcome.put(try? runner.run(["set", "third"], input: Array("3".utf8)))
            ended.happen()
        }
        let unlocked = try home.runner.run(
            ["unlock", "--vault", second, "--idle", "1s", "--passphrase-file", home.passphraseFile])
        #expect(unlocked.code == 0)
        let client = try home.client()
        var reads = 0
        while ended.count == 0, ContinuousClock.now < begin + .seconds(60) {
            #expect(try client.get("first") == home.values["first"])
            reads += 1
            usleep(20_000)
        }
        #expect(ended.count == 1)
        #expect(ContinuousClock.now - begin >= .seconds(5))
        #expect(reads > 20)
        let refused = try #require(outcome.take())
        #expect(refused.code == 15)
        #expect(refused.messages.contains("lock"), "\(refused.messages)")
        #expect(try client.status().count == 1)
        #expect(try client.get("third") == nil)
        cs_flock(lock, LOCK_UN)
        #expect(try home.run(["set", "third"], text: "3").code == 0)
    }
}
