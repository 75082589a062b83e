import Coffer
import CofferAgent
import Foundation
import Glibc
import PropertyLists
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

/// What a verb makes of the answers of an agent, also of those that a sound one does not give.
@Suite struct AgentAnswerTests {
    private func run(
        _ words: [String], text: String = "", version: UInt32 = AgentProtocol.version,
        _ answer: @escaping FakeAgent.Answer
    ) throws -> CommandRunner.Outcome {
        let agent = try FakeAgent(version: version, answer)
        // It listens for as long as it lives, and the runner has no more than its place.
        return try withExtendedLifetime(agent) {
            try agent.runner(try CofferSession()).run(words, input: Array(text.utf8))
        }
    }

    @Test("values of two saves are never put together: they are asked for again")
    func oneSave() throws {
        let outcome = try run(["get", "a", "b", "-0"]) { number, _ in
            // A save comes between the first two values.
            .value(generation: number == 0 ? 1 : 2, list: try .list(of: "\(number)"))
        }
        #expect(outcome.code == 0, "\(outcome.messages)")
        #expect(outcome.bytes == Array("2\03\0".utf8))
        let never = try run(["get", "a", "b", "-0"]) { number, _ in
            .value(generation: UInt64(number), list: try .list(of: "\(number)"))
        }
        #expect(never.code == 15)
        #expect(never.bytes.isEmpty)
        #expect(never.messages.contains("was saved again and again"))
    }

    @Test("an unlock warns of the vault's own memory, whatever the agent found when it started")
    func unlockedMemory() throws {
        let session = try CofferSession()
        let path = String(decoding: VaultPlace.resolved(session.fixture.path), as: UTF8.self)
        let agent = try FakeAgent { _, request in
            switch request {
            case .epoch: .epoch(1)
            case .unlock: .done
            case .status:
                .status([
                    AgentVaultStatus(
                        path: path, lockState: .unlocked, idleLeft: nil, maximumLeft: nil, isMemoryLocked: false,
                        warnings: [])
                ])
            default: nil
            }
        }
        let outcome = try agent.runner(session).run(["unlock", "--passphrase-file", session.passphraseFile])
        #expect(outcome.code == 0, "\(outcome.messages)")
        #expect(outcome.messages.contains("the agent's memory could not be locked"), "\(outcome.messages)")
    }

    @Test("an agent of another version is told to lock everything, and nothing else")
    func otherVersion() throws {
        let all = try run(["lock", "--all"], version: 9) { _, request in request == .lock(path: nil) ? .done : nil }
        #expect(all.code == 0, "\(all.messages)")
        let stop = try run(["agent", "stop"], version: 9) { _, request in request == .stop ? .done : nil }
        #expect(stop.code == 0, "\(stop.messages)")
        let one = try run(["lock"], version: 9) { _, _ in .done }
        #expect(one.code == 18)
        #expect(one.messages.contains("coffer agent stop ends it, which locks everything"), "\(one.messages)")
    }

    @Test("a list of several pages is of one save")
    func pages() throws {
        let outcome = try run(["list"]) { number, request in
            guard case .list(let after) = request else { return nil }
            let generation: UInt64 = number == 0 ? 1 : 2
            switch after {
            case nil:
                return .list(
                    generation: generation, entries: [AgentEntry(name: "a", kind: .string, modified: nil)],
                    hasMore: true, now: 0)
            case "a":
                return .list(
                    generation: generation == 1 ? 1 : 2,
                    entries: [AgentEntry(name: "b", kind: .integer, modified: 1_000)], hasMore: number < 3, now: 0)
            default:
                return .list(
                    generation: 3, entries: [AgentEntry(name: "c", kind: .data, modified: nil)], hasMore: false, now: 0)
            }
        }
        #expect(outcome.code == 0, "\(outcome.messages)")
        #expect(outcome.output == "a\tstring\nb\tinteger\n")
        // Pages that would be asked for again and again.
        for names in [[], ["a"], ["b", "a"], ["b", "b"]] {
            let endless = try run(["list"]) { number, _ in
                .list(
                    generation: 1, entries: names.map { AgentEntry(name: $0, kind: .string, modified: nil) },
                    hasMore: number < 1_000, now: 0)
            }
            #expect(endless.code == 18, "\(names)")
            let isEmpty = endless.bytes.isEmpty
            #expect(isEmpty)
        }
    }

    @Test("two spellings are one setting only if nothing else is stored", arguments: [true, false])
    func spellings(isOne: Bool) throws {
        let outcome = try run(["get", "e\u{301}", "\u{E9}", "--json"]) { _, request in
            switch request {
            case .list:
                let names = isOne ? ["\u{E9}"] : ["e\u{301}", "\u{E9}"]
                return .list(
                    generation: 1, entries: names.map { AgentEntry(name: $0, kind: .string, modified: nil) },
                    hasMore: false, now: 0)
            case .value(let name):
                return .value(generation: 1, list: try .list(of: isOne || name.utf8.count == 3 ? "first" : "second"))
            default: return nil
            }
        }
        #expect(outcome.code == 0)
        let both = "{\n  \"e\u{301}\": \"first\",\n  \"\u{E9}\": \"second\"\n}\n"
        #expect(outcome.bytes == Array((isOne ? "{\n  \"e\u{301}\": \"first\"\n}\n" : both).utf8))
    }

    @Test("an answer that means nothing is 18, never a value")
    func nonsense() throws {
        for answer: FakeAgent.Answer in [
            { _, _ in .done }, { _, _ in .epoch(1) }, { _, _ in .failure(.malformed) },
            { _, _ in
                // No list at all.
                .value(generation: 1, list: try GuardedBuffer(count: 64))
            },
        ] {
            let outcome = try run(["get", "a"], answer)
            #expect(outcome.code == 18, "\(outcome.messages)")
            #expect(outcome.bytes.isEmpty)
        }
    }

    @Test("an agent that ends before it answers a question is as none, but not one that was to change something")
    func vanished() throws {
        let read = try run(["get", "a"]) { _, _ in nil }
        #expect(read.code == 14)
        #expect(read.messages.contains("the passphrase is needed"))
        let half = try run(["get", "a", "b", "-0"]) { number, _ in
            number == 0 ? .value(generation: 1, list: try .list(of: "x")) : nil
        }
        #expect(half.code == 18)
        #expect(half.bytes.isEmpty)
        let change = try run(["unset", "a"]) { _, _ in nil }
        #expect(change.code == 15)
        #expect(change.messages.contains("did not say whether the change is made"))
        let odd = try run(["unset", "a"]) { _, _ in .done }
        #expect(odd.code == 15)
        #expect(odd.messages.contains("did not say whether the change is made"))
    }

    @Test("an agent that ends before it greets is looked for once more, and no more often")
    func dropped() throws {
        let session = try CofferSession()
        func run(_ words: [String], dropping: Int) throws -> CommandRunner.Outcome {
            let agent = try FakeAgent(dropping: dropping) { _, request in
                switch request {
                case .lock: .done
                case .change: .changed(generation: 2, outcomes: [AgentOutcome(before: .string)], warnings: [])
                default: .value(generation: 1, list: try .list(of: "x"))
                }
            }
            return try agent.runner(session).run(words)
        }
        let settings = [["get", "a"], ["unset", "a"], ["rename", "a", "b"], ["undo", "a"]]
        for words in settings + [["lock", "--all"], ["agent", "start"]] {
            let once = try run(words, dropping: 1)
            #expect(once.code == 0, "\(words): \(once.messages)")
            let twice = try run(words, dropping: 2)
            #expect(twice.code == (settings.contains(words) ? 14 : 18), "\(words)")
            #expect(twice.messages.contains("before it answered"), "\(words): \(twice.messages)")
        }
    }

    @Test("an agent that ends while a person types the value has changed nothing, and that is said")
    func endedWhileTyping() throws {
        let session = try CofferSession()
        for isLeaving in [true, false] {
            let agent = try FakeAgent(endingAfter: .details, isLeaving: isLeaving) { _, request in
                request == .details ? .details(Self.details) : .failure(.vault(.locked))
            }
            let runner = agent.runner(session)
            let input = session.fixture.path + ".input"
            unsafe unlink(input)
            guard unsafe mkfifo(input, 0o600) == 0 else { throw POSIXError(.EIO) }
            let outcome = Mutex<CommandRunner.Outcome?>(nil)
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let result = try? runner.run(["set", "a", "--file", input])
                outcome.withLock { $0 = result }
                ended.signal()
            }
            let writer = unsafe open(input, O_WRONLY)
            #expect(agent.ended.wait(timeout: .now() + 60) == .success)
            _ = unsafe write(writer, "value", 5)
            close(writer)
            #expect(ended.wait(timeout: .now() + 60) == .success)
            let result = try #require(outcome.withLock { $0 })
            #expect(result.code == (isLeaving ? 18 : 14), "\(result.messages)")
            #expect(result.messages.contains("nothing was changed"), "\(result.messages)")
        }
    }

    @Test("a key that was handed over to an agent which does not answer is taken back")
    func unanswered() throws {
        let session = try CofferSession()
        let words = ["unlock", "--passphrase-file", session.passphraseFile]
        for (answer, takesBack): (@Sendable () -> AgentReply?, Bool) in [
            ({ nil }, true), ({ .epoch(1) }, true), ({ nil }, false),
        ] {
            let locks = Mutex<[String?]>([])
            let handed = FakeAgent.Request.unlock(
                epoch: 9, keyLength: 32, idle: .seconds(900), maximumAge: .seconds(28_800), acceptsUnexpected: false)
            let agent = try FakeAgent(endingAfter: handed) { _, request in
                switch request {
                case .epoch: return .epoch(9)
                case .unlock: return answer()
                case .lock(let path):
                    locks.withLock { $0.append(path) }
                    return takesBack ? .done : nil
                default: return nil
                }
            }
            let outcome = try agent.runner(session).run(words)
            #expect(outcome.code == 18)
            #expect(locks.withLock { $0 } == [session.fixture.path])
            let told = takesBack ? "locked again" : "may be unlocked"
            #expect(outcome.messages.contains(told), "\(outcome.messages)")
            #expect(takesBack || outcome.messages.contains("coffer lock"))
        }
    }

    @Test("an unlock that is done is no failure when the agent says nothing more")
    func unlockedWithoutStatus() throws {
        let session = try CofferSession()
        let agent = try FakeAgent { _, request in
            switch request {
            case .epoch: return .epoch(9)
            case .unlock: return .done
            default: return nil
            }
        }
        let outcome = try agent.runner(session).run(["unlock", "--passphrase-file", session.passphraseFile])
        #expect(outcome.code == 0, "\(outcome.messages)")
        #expect(outcome.messages.contains("is unlocked"))
        #expect(outcome.messages.contains("warning: "))
    }

    @Test("a passphrase that was changed elsewhere is asked for by a read, which overwrites nothing anyhow")
    func rekeyed() throws {
        for words in [["get", "a"], ["list"], ["set", "a"]] {
            let outcome = try run(words, text: "value") { _, _ in .failure(.vault(.conflict)) }
            #expect(outcome.code == 14, "\(words): \(outcome.messages)")
            #expect(outcome.messages.contains("warning: the passphrase of the vault"), "\(outcome.messages)")
            #expect(!outcome.messages.contains("overwritten"))
        }
    }

    @Test("inspect shows the fields whatever becomes of the agent", arguments: 0..<6)
    func inspectWithoutAnswer(_ number: Int) throws {
        let failures: [AgentFailure] = [
            .vault(.conflict), .vault(.rolledBack(generation: 1, newest: 2)), .busy,
            .vault(.ioError(step: "read", errno: EIO, path: "/v")), .malformed, .generation(2),
        ]
        let session = try CofferSession()
        let alone = try session.runner.run(["inspect"])
        let agent = try FakeAgent { _, _ in .failure(failures[number]) }
        let outcome = try agent.runner(session).run(["inspect"])
        #expect(outcome.code == 0, "\(outcome.messages)")
        #expect(outcome.bytes == alone.bytes)
        #expect(outcome.messages.contains("warning: "))
        let json = try agent.runner(session).run(["inspect", "--json"])
        #expect(json.code == 0)
        #expect(json.output.contains("\"contents\": null"))
    }

    @Test("status says locked to programs only where that is known")
    func unknownStatus() throws {
        func status(_ runner: CommandRunner) throws -> (state: Any?, running: Any?, code: Int32) {
            let outcome = try runner.run(["status", "--json"])
            let json = try JSONSerialization.jsonObject(with: Data(outcome.bytes)) as? [String: Any]
            return (json?["state"], (json?["agent"] as? [String: Any])?["running"], outcome.code)
        }
        let session = try CofferSession()
        let none = try status(session.runner)
        #expect(none.state as? String == "locked" && none.running as? Bool == false && none.code == 18)
        let open = try FakeAgent { _, _ in .status([]) }
        unsafe chmod(open.runtime, 0o755)
        for agent in [
            try FakeAgent(version: 7) { _, _ in .done }, try FakeAgent(dropping: 2) { _, _ in .done }, open,
            try FakeAgent { _, _ in nil }, try FakeAgent { _, _ in .failure(.busy) },
        ] {
            let unknown = try status(agent.runner(session))
            #expect(unknown.state is NSNull && unknown.running is NSNull)
            #expect(unknown.code == 18 || unknown.code == 15)
        }
    }

    @Test("an agent that was ending when it was asked to end is no failure, but one that never does is")
    func stopping() throws {
        let twice = try run(["agent", "stop"]) { number, _ in number == 0 ? nil : .done }
        #expect(twice.code == 0, "\(twice.messages)")
        #expect(twice.messages.contains("the agent has ended"))
        let never = try run(["agent", "stop"]) { _, _ in nil }
        #expect(never.code == 18)
        #expect(never.messages.contains("before it answered"))
    }

    @Test("a lock between the question whether it is unlocked and the change is 14, and nobody is asked half-way")
    func lockedMeanwhile() throws {
        let outcome = try run(["set", "a"], text: "value") { _, request in
            if request == .details { return .details(Self.details) }
            return .failure(.vault(.locked))
        }
        #expect(outcome.code == 14)
        #expect(outcome.messages.contains("was locked meanwhile; nothing was changed"))
    }

    @Test("inspect shows nothing of another save than that of the file")
    func otherSave() throws {
        let outcome = try run(["inspect", "--json"]) { _, _ in .details(Self.details) }
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("\"contents\": null"))
    }

    private static var details: AgentDetails {
        AgentDetails(
            generation: 1, vaultID: [], check: [],
            numbers: .init(
                settingsLength: 0, metadataLength: 0, paddingLength: 0, settingsCount: 0, hasAges: true,
                removedCount: 0, undoCount: 0, recipientCount: 0))
    }

    @Test("what the vault says in the agent is said as ever")
    func vaultErrors() throws {
        let cases: [(AgentFailure, Int32, String)] = [
            (.vault(.ioError(step: "lock the vault", errno: EWOULDBLOCK, path: "/v")), 15, "Nothing was lost"),
            (
                .vault(.savedButNotSynced(errno: EIO, path: "/v")), 15,
                "the settings are removed, but it may not survive"
            ),
            (.vault(.conflict), 13, "the key of"), (.vault(.notFound(name: "a")), 16, "there is no setting \"a\" in"),
            (.vault(.rolledBack(generation: 1, newest: 2)), 11, "--accept-unexpected"), (.busy, 15, "try again"),
            (.generation(3), 15, "another program saved"),
            (.vault(.refused(reason: "the file is linked")), 17, "linked"),
        ]
        for (failure, code, text) in cases {
            let outcome = try run(["unset", "a"]) { _, _ in .failure(failure) }
            #expect(outcome.code == code, "\(outcome.messages)")
            #expect(outcome.messages.contains(text), "\(outcome.messages)")
        }
    }

    @Test("warnings of a save are told")
    func warnings() throws {
        let outcome = try run(["unset", "a"]) { _, _ in
            .changed(generation: 2, outcomes: [AgentOutcome(before: .string)], warnings: [.groupNotKept])
        }
        #expect(outcome.code == 0)
        #expect(outcome.messages.contains("the group of the vault's file could not be kept"))
        // An answer for other steps than were asked for.
        #expect(try run(["unset", "a"]) { _, _ in .changed(generation: 2, outcomes: [], warnings: []) }.code == 15)
    }

    @Test("an agent of another version is told apart, and keeps nobody from the passphrase")
    func version() throws {
        for words in [["status"], ["lock"], ["agent", "start"]] {
            let outcome = try run(words, version: 7) { _, _ in .done }
            #expect(outcome.code == 18)
            #expect(outcome.messages.contains("speaks version 7 of the protocol"), "\(outcome.messages)")
        }
        let session = try CofferSession()
        let agent = try FakeAgent(version: 7) { _, _ in .done }
        let got = try agent.runner(session).run(["get", "a"])
        #expect(got.code == 14)
        #expect(got.messages.contains("warning: the agent that is running speaks version 7"))
        for words in [["unset", "a"], ["rename", "a", "b"], ["undo", "a"]] {
            let changed = try agent.runner(session).run(words)
            #expect(changed.code == 14, "\(words): \(changed.messages)")
            #expect(changed.messages.contains("warning: the agent that is running speaks version 7"))
        }
        let own = try agent.runner(session).run(["list", "--passphrase-file", session.passphraseFile])
        #expect(own.code == 0 && !own.messages.contains("agent"))
    }

    @Test("no request carries the passphrase, and a key only unlock")
    func noPassphrase() throws {
        let session = try CofferSession()
        let agent = try FakeAgent { _, request in
            switch request {
            case .epoch: return .epoch(9)
            case .status: return .status([])
            case .unlock(epoch: 9, keyLength: 32, idle: .seconds(60), maximumAge: nil, acceptsUnexpected: false):
                return .done
            default: return nil
            }
        }
        let words = ["unlock", "--idle", "1m", "--max", "never", "--passphrase-file", session.passphraseFile]
        let outcome = try agent.runner(session).run(words)
        #expect(outcome.code == 0, "\(outcome.messages)")
        let stale = try FakeAgent { _, request in
            if request == .epoch { return .epoch(9) }
            return .failure(.staleEpoch)
        }
        #expect(try stale.runner(session).run(words).code == 14)
    }
}
