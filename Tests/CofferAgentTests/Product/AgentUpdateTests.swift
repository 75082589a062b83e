import Coffer
import CofferAgent
import CofferAgentClient
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing

/// Updates through the agent, as an app makes them.
@Suite struct AgentUpdateTests {
    private let place: TemporaryVault
    private let agent: ServiceAgent
    private let vault: AgentVault

    init() throws {
        place = try TemporaryVault()
        agent = try ServiceAgent()
        vault = agent.vault(place)
        try agent.unlock(place)
    }

    @Test("changes are on the disk when the update returns, and are read as they will be before that")
    func changing() throws {
        let large = String(repeating: "0123456789abcdef", count: 1 << 16)
        let before = try vault.update { draft in
            let before = try draft[.count]
            draft.set(.count, to: before + 1)
            #expect(try draft[.count] == 1)
            draft.set(.limit, to: 4)
            #expect(try draft[.limit] == 4 && draft.get(.limit, default: 9) == 4)
            draft.set(.limit, to: nil)
            #expect(try draft[.limit] == nil && draft[.limit, default: 9] == 9)
            draft.set(.password, to: try Secret.text(large))
            let length = try draft.withBytes(of: .password) { $0.byteCount }
            #expect(length == 1 << 20)
            #expect(try draft.isSet(.password) && !draft.isSet(.limit) && draft.isSet(.count))
            return before
        }
        #expect(before == 0)
        let other = try place.unlocked()
        #expect(try other[.count] == 1)
        #expect(try other.names() == ["count", "password"])
        #expect(try vault.text(of: .password) == large)
    }

    @Test("an update that throws, or changes nothing, saves nothing")
    func nothing() throws {
        struct Mine: Error {}
        let before = try place.bytes()
        #expect(throws: Mine.self) {
            try vault.update { draft in
                draft.set(.count, to: 1)
                throw Mine()
            }
        }
        #expect(try vault.update { draft in try draft[.count] } == 0)
        #expect(throws: VaultError.refused(reason: "a setting's name has no control characters")) {
            try vault.update { draft in
                draft.set(.count, to: 1)
                draft.set(SettingKey("a\nb", default: 0), to: 1)
            }
        }
        #expect(try place.bytes() == before)
    }

    @Test("an update that read something runs again when another save came before its own")
    func again() throws {
        try place.save { draft in draft.set(.count, to: 10) }
        var runs = 0
        agent.watcher.beforeNext(.change) { [place] in
            try? place.save { draft in draft.set(.count, to: 20) }
        }
        let result = try vault.update { draft in
            runs += 1
            let count = try draft[.count] + 1
            draft.set(.count, to: count)
            return count
        }
        #expect(result == 21)
        #expect(runs == 2)
        #expect(try place.unlocked()[.count] == 21)
    }

    @Test("an update sees the newest content, also if it changes nothing")
    func newest() throws {
        for number in 1...20 {
            _ = try vault[.count]
            try place.save { draft in draft.set(.count, to: number) }
            #expect(try vault.update { draft in try draft[.count] } == number)
        }
    }

    @Test("an update that only writes runs once, and keeps what the other save made")
    func once() throws {
        agent.watcher.beforeNext(.change) { [place] in
            try? place.save { draft in draft.set(.limit, to: 20) }
        }
        var runs = 0
        try vault.update { draft in
            runs += 1
            draft.set(.count, to: 1)
        }
        #expect(runs == 1)
        let other = try place.unlocked()
        #expect(try other[.count] == 1 && other[.limit] == 20)
    }

    @Test("what an update reads is of one save")
    func oneSave() throws {
        try place.save { draft in
            draft.set(.count, to: 1)
            draft.set(.limit, to: 1)
        }
        #expect(try vault.update { draft in try draft[.count] } == 1)
        // Between the two reads, by a save through the agent, which it sees at once.
        let (other, done) = (agent.vault(place), DispatchSemaphore(value: 0))
        var pairs: [[Int]] = []
        try vault.update { draft in
            let count = try draft[.count]
            if pairs.isEmpty {
                Thread.detachNewThread {
                    _ = try? other.update { draft in
                        draft.set(.count, to: 2)
                        draft.set(.limit, to: 2)
                    }
                    done.signal()
                }
                #expect(done.wait(timeout: .now() + 30) == .success)
                pairs.append([count])
            }
            let limit = try draft.get(.limit, default: 0)
            pairs.append([count, limit])
            draft.set(SettingKey("sum", default: 0), to: count + limit)
        }
        #expect(pairs == [[1], [2, 2]])
        #expect(try vault.value("sum", default: 0) == 4)
    }

    @Test("removing says whether there was one, and leaves nothing to undo unless told")
    func removing() throws {
        try place.save { draft in draft.set(.count, to: 5) }
        #expect(try vault.update { draft in draft.remove(.count, undoable: true) })
        try vault.undo(.count)
        #expect(try vault[.count] == 5)
        #expect(try vault.update { draft in draft.remove(.count, undoable: true) })
        // It is gone already; now what was kept of it goes too.
        let saves = agent.watcher.seen.changes
        #expect(try !vault.update { draft in draft.remove(.count) })
        #expect(agent.watcher.seen.changes == saves + 1)
        #expect(throws: VaultError.notFound(name: "count")) { try vault.undo(.count) }
        // And now there is nothing of it.
        let before = try place.bytes()
        #expect(try !vault.update { draft in draft.remove(.count) })
        #expect(try !vault.update { draft in draft.remove(.count, undoable: true) })
        #expect(try place.bytes() == before)
        // Nor does that keep another change from being made.
        #expect(
            try vault.update { draft in
                draft.set(.limit, to: 1)
                let wasThere = draft.remove(.count)
                let wasSet = draft.remove(.limit)
                let isStill = draft.remove(.limit)
                return [wasThere, wasSet, isStill]
            } == [false, true, false])
    }

    @Test("however many settings are removed that are not there, the update runs once", arguments: [1, 40])
    func removingAbsent(count: Int) throws {
        try place.save { draft in
            draft.set(SettingKey("kept 0", default: 0), to: 1)
            draft.set(.count, to: 5)
        }
        try place.save { draft in draft.remove("kept 0", undoable: true) }
        // The agent looks at the file: what it reads from here on is of the newest save.
        try vault.update { _ in }
        var runs = 0
        let found = try vault.update { draft in
            runs += 1
            for number in 0..<count { draft.set(SettingKey<Int?>("kept \(number)"), to: nil) }
            return (0..<count).map { draft.remove("none \($0)") } + [draft.remove(.count)]
        }
        #expect(runs == 1)
        #expect(found == Array(repeating: false, count: count) + [true])
        #expect(try vault.names() == [])
        // What an undo would have brought back is gone as well.
        #expect(throws: VaultError.notFound(name: "kept 0")) { try vault.undo("kept 0") }
    }

    @Test("removing by an optional key reads nothing, so another save does not have it run again")
    func removingReadsNothing() throws {
        try place.save { draft in draft.set(.limit, to: 1) }
        agent.watcher.beforeNext(.change) { [place] in
            try? place.save { draft in draft.set(.count, to: 20) }
        }
        var runs = 0
        try vault.update { draft in
            runs += 1
            draft.set(.limit, to: nil)
        }
        #expect(runs == 1)
        #expect(agent.watcher.seen.values == 0)
        #expect(try place.unlocked().names() == ["count"])
    }

    @Test("a child that was forked in the closure asks nothing on its parent's connection")
    func forking() throws {
        try place.save { draft in draft.set(.limit, to: 4) }
        try vault.update { draft in
            let count = try draft[.count]
            let asked = agent.watcher.seen.values
            let status = try Child.status(within: 20) {
                // What is known already, and what would have to be asked for.
                for key in [SettingKey("count", default: 0), SettingKey("other", default: 0)] {
                    do throws(VaultError) {
                        _ = try draft.get(key)
                        return 1
                    } catch { guard error == .locked else { return 2 } }
                }
                return 0
            }
            #expect(status == 0)
            #expect(agent.watcher.seen.values == asked)
            #expect(try draft[.limit] == 4)
            draft.set(.count, to: count + 1)
        }
        #expect(try vault[.count] == 1)
    }

    @Test("an update that neither reads nor changes anything finds out too that the vault is locked")
    func idle() throws {
        let before = try place.bytes()
        #expect(try vault.update { _ in 7 } == 7)
        #expect(try place.bytes() == before)
        try vault.lock()
        #expect(throws: VaultError.locked) { try vault.update { _ in } }
        let none = AgentVault(at: .file(place.path), agent: try TestPlace().location)
        #expect(throws: VaultError.locked) { try none.update { _ in } }
    }

    @Test("renaming moves a setting, and says so when it cannot")
    func renaming() throws {
        try place.save { draft in draft.set(.count, to: 5) }
        // It may run on older content first: what it saw last counts.
        let seen = try vault.update { draft in
            draft.rename("count", to: "limit")
            let (limit, isStill) = (try draft[.limit], try draft.contains("count"))
            draft.set(.count, to: 6)
            draft.rename("count", to: "count")
            return [limit, isStill ? 1 : 0, try draft[.count]]
        }
        #expect(seen == [5, 0, 6])
        #expect(try vault.names() == ["count", "limit"])
        #expect(throws: VaultError.notFound(name: "none")) {
            try vault.update { draft in draft.rename("none", to: "other") }
        }
        #expect(throws: VaultError.refused(reason: "there is already a setting with the new name")) {
            try vault.update { draft in draft.rename("count", to: "limit") }
        }
        try vault.update { draft in draft.rename("count", to: "limit", replacing: true) }
        #expect(try vault.names() == ["limit"] && vault[.limit] == 6)
    }

    @Test("what an undo brings back cannot be read before it is saved")
    func undoing() throws {
        for number in [1, 2] { try place.save { draft in draft.set(.count, to: number) } }
        let reason = "what an undo brings back can be read once the update is saved"
        try vault.update { draft in
            draft.undo(.count)
            #expect(throws: VaultError.refused(reason: reason)) { try draft[.count] }
        }
        #expect(try vault[.count] == 1)
        #expect(throws: VaultError.notFound(name: "none")) { try vault.undo("none") }
    }

    @Test("many threads that add at once lose no addition", .timeLimit(.minutes(3)))
    func adding() throws {
        let vaults = [vault, agent.vault(place)]
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            for _ in 0..<20 {
                do { try Self.addOne(vaults[number % 2]) } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try place.unlocked()[.count] == 80)
    }

    /// Others may come first so often that an update gives up, as it should.
    private static func addOne(_ vault: AgentVault) throws {
        while true {
            do {
                return try vault.update { draft in draft.set(.count, to: try draft[.count] + 1) }
            } catch VaultError.ioError(_, EAGAIN, _) {
                continue
            }
        }
    }

    @Test("an agent that vanishes in the middle of a change leaves its outcome open, and that is said")
    func vanishing() throws {
        let run = try TestPlace()
        let memory = AgentMemory(isLocked: true, isWipedOnFork: true, bindsLazily: false, refusals: [])
        let hello = try AgentReply.hello(version: AgentProtocol.version, memory: memory).encode()
        let bytes = hello.bytes.array
        for readsMore in [true, false] {
            let fake = try FakeAgent(run.location, readsMore: readsMore) { _ in bytes }
            let vault = AgentVault(at: .file(place.path), agent: run.location)
            // One that ends before it has the change has not made it.
            let gone = VaultError.ioError(step: "hear from the agent", errno: ECONNRESET, path: "agent")
            #expect(throws: readsMore ? VaultError.outcomeUnknown(path: place.path) : gone) {
                try vault.update { draft in
                    draft.set(.count, to: 1)
                    draft.set(.password, to: try Secret.random(count: readsMore ? 16 : 1 << 20))
                }
            }
            fake.close()
            unsafe unlink(run.location.socketPath)
        }
    }

    @Test("an answer that means nothing leaves the outcome of a change open, and that is said")
    func meaningless() throws {
        let run = try TestPlace()
        let memory = AgentMemory(isLocked: true, isWipedOnFork: true, bindsLazily: false, refusals: [])
        let hello = try AgentReply.hello(version: AgentProtocol.version, memory: memory).encode()
        let done = try AgentReply.done.encode()
        let bytes = hello.bytes.array + done.bytes.array
        let fake = try FakeAgent(run.location, readsMore: true) { _ in bytes }
        let vault = AgentVault(at: .file(place.path), agent: run.location)
        #expect(throws: VaultError.outcomeUnknown(path: place.path)) {
            try vault.update { draft in draft.set(.count, to: 1) }
        }
        fake.close()
    }

    @Test("a change inside the closure of an update of the same vault is refused, and only there")
    func nesting() throws {
        let refusal = VaultError.refused(
            reason: "a change cannot begin inside the closure of an update of the same vault")
        try vault.update { draft in
            #expect(throws: refusal) { try vault.update { inner in inner.set(.count, to: 1) } }
            #expect(throws: refusal) { try vault.undo(.count) }
            draft.set(.count, to: 2)
        }
        #expect(try vault[.count] == 2)
        struct Mine: Error {}
        #expect(throws: Mine.self) { try vault.update { _ in throw Mine() } }
        try vault.update { draft in draft.set(.count, to: 3) }
        #expect(try vault[.count] == 3)
    }

    @Test("more than the agent takes at once is refused before it is sent")
    func tooMuch() throws {
        let changes = agent.watcher.seen.changes
        let tooMany = VaultError.limitExceeded(
            field: "changes of an update through the agent", value: 4_097, bound: 4_096)
        #expect(throws: tooMany) {
            try vault.update { draft in for number in 0...4_096 { draft.undo("\(number)") } }
        }
        #expect(agent.watcher.seen.changes == changes)
        let second = agent.vault(place)
        #expect(throws: VaultError.refused(reason: "the draft is that of another update")) {
            try vault.update { draft in
                try second.update { inner in swap(&draft, &inner) }
            }
        }
    }
}
