import Coffer
import CofferAgent
import PropertyLists
import SecureMemory
import VaultFile

/// Bytes of a test in guarded memory.
func guardedBytes(_ bytes: [UInt8]) throws -> GuardedBuffer { try GuardedBuffer(copying: bytes.rawSpan) }

/// One of every kind of request, and of its optional parts.
enum SampleRequests {
    static let count = 18

    static func make(_ index: Int) throws -> AgentRequest {
        let path = "/home/someone/é/default.coffer"
        switch index {
        case 0: return .hello(version: AgentProtocol.version)
        case 1: return .hello(version: 0x0403_0201)
        case 2: return .status
        case 3: return .epoch(path: path)
        case 4: return .unlock(try unlock(idle: .seconds(900), maximumAge: nil, acceptsUnexpected: false))
        case 5: return .unlock(try unlock(idle: nil, maximumAge: .nanoseconds(1), acceptsUnexpected: true))
        case 6: return .lock(path: nil)
        case 7: return .lock(path: path)
        case 8: return .value(path: path, name: "github/token")
        case 9: return .value(path: "/", name: "")
        case 10: return .list(path: path, after: nil)
        case 11: return .list(path: path, after: "ü")
        case 12: return .change(try change(expected: nil))
        case 13: return .change(try change(expected: 7))
        case 14: return .change(AgentChange(path: path, expected: nil, steps: [], values: try GuardedArena()))
        case 15: return .details(path: path)
        case 16: return .stop
        default: return .value(path: "/\u{10FFFF}", name: String(repeating: "n", count: AgentProtocol.maximumName))
        }
    }

    private static func unlock(idle: Duration?, maximumAge: Duration?, acceptsUnexpected: Bool) throws -> AgentUnlock {
        AgentUnlock(
            path: "/v", epoch: 0x0102_0304_0506_0708, key: try guardedBytes(Array(1...32)),
            idle: idle,
            maximumAge: maximumAge, acceptsUnexpected: acceptsUnexpected)
    }

    private static func change(expected: UInt64?) throws -> AgentChange {
        var values = try GuardedArena()
        let (three, none): ([UInt8], [UInt8]) = ([1, 2, 3], [])
        let first = try values.append(three.rawSpan)
        let second = try values.append(none.rawSpan)
        return AgentChange(
            path: "/v", expected: expected,
            steps: [
                .set(name: "a", value: first, replaces: true), .remove(name: "b", undoable: false, mayBeAbsent: false),
                .set(name: "", value: second, replaces: false), .remove(name: "c", undoable: true, mayBeAbsent: true),
                .rename(from: "d", to: "e", replaces: true), .rename(from: "f", to: "g", replaces: false),
                .undo(name: "h"),
            ], values: values)
    }

    /// All that is in a request.
    static func summary(_ request: borrowing AgentRequest) -> String {
        switch request {
        case .hello(let version): "hello \(version)"
        case .status: "status"
        case .epoch(let path): "epoch \(path)"
        case .unlock(let unlock):
            "unlock \(unlock.path) \(unlock.epoch) \(unlock.key.bytes.array(0..<unlock.key.count)) "
                + "\(String(describing: unlock.idle)) \(String(describing: unlock.maximumAge)) \(unlock.acceptsUnexpected)"
        case .lock(let path): "lock \(String(describing: path))"
        case .value(let path, let name): "value \(path) \(name)"
        case .list(let path, let after): "list \(path) \(String(describing: after))"
        case .change(let change):
            "change \(change.path) \(String(describing: change.expected)) \(change.steps) "
                + "\(change.values.bytes.array(0..<change.values.count))"
        case .details(let path): "details \(path)"
        case .stop: "stop"
        }
    }
}

/// One of every kind of reply, and of its optional parts, every error and every warning among them.
enum SampleReplies {
    static let errors: [VaultError] = [
        .noVault(path: "/a"), .alreadyExists(path: "/b"), .notAVault(path: "/ü"), .unsupportedVersion(0x0201),
        .unsupportedFeature(field: "f", value: 1 << 40), .damaged(reason: "r"),
        .limitExceeded(field: "name", value: 2, bound: 1), .notEnoughMemory(memoryKiB: nil),
        .notEnoughMemory(memoryKiB: 65_536), .wrongPassphrase, .tampered, .invalidContents(reason: "x"),
        .rolledBack(generation: 1, newest: 2), .forked(generation: 3), .replaced, .rekeyed, .noMatchingSlot, .conflict,
        .locked, .ioError(step: "read", errno: -5, path: "/p"), .savedButNotSynced(errno: 5, path: "/q"),
        .outcomeUnknown(path: "/r"), .notFound(name: "n"), .typeMismatch(name: "n", expected: "string", found: "data"),
        .refused(reason: ""),
    ]

    static let warnings: [VaultWarning] = [
        .weakKeyDerivation(passes: 3, memoryKiB: 8_192), .readableByOthers(permissions: 0o644), .groupNotKept,
        .syncedEverything, .triggerUnavailable(name: "sleep", errno: 38), .timerUnavailable,
        .fileNotWatched(errno: 28), .freshnessNotRemembered(errno: 0, path: "~"),
    ]

    static let failures: [AgentFailure] =
        errors.map { .vault($0) } + AgentRefusal.allCases.map { .refused($0) } + [
            .version(9), .malformed, .busy, .staleEpoch, .generation(1 << 62),
        ]

    private static let others = 12
    static let count = others + failures.count

    static func make(_ index: Int) throws -> AgentReply {
        switch index {
        case 0:
            return .hello(
                version: 1,
                memory: AgentMemory(isLocked: true, isWipedOnFork: false, bindsLazily: true, refusals: [.noCore]))
        case 1: return .done
        case 2: return .status([])
        case 3: return .status([status(.locked, nil, nil, []), status(.unlocked, .seconds(1), .zero, warnings)])
        case 4: return .status([status(.unlockedWithoutCopy, nil, .nanoseconds(Int64.max), [])])
        case 5: return .epoch(.max)
        case 6: return .value(generation: 5, list: nil)
        case 7: return .value(generation: 5, list: try guardedBytes(Array(0..<200)))
        case 8:
            let entries = PropertyListKind.allCases.map { AgentEntry(name: "\($0)", kind: $0, modified: nil) }
            return .list(generation: 2, entries: entries, hasMore: true, now: -1)
        case 9:
            return .list(
                generation: 2, entries: [AgentEntry(name: "é", kind: .date, modified: .min)], hasMore: false, now: .max)
        case 10:
            let outcomes = [AgentOutcome(before: nil), AgentOutcome(before: .dictionary)]
            return .changed(generation: 3, outcomes: outcomes, warnings: warnings)
        case 11:
            return .details(
                AgentDetails(
                    generation: 1, vaultID: Array(0..<16), check: Array(0..<32),
                    numbers: PlaintextSummary(
                        settingsLength: 100, metadataLength: 0, paddingLength: 7, settingsCount: 3, hasAges: true,
                        removedCount: 1, undoCount: 2, recipientCount: 0)))
        default: return .failure(failures[index - others])
        }
    }

    private static func status(
        _ state: LockState, _ idle: Duration?, _ maximum: Duration?, _ warnings: [VaultWarning]
    ) -> AgentVaultStatus {
        AgentVaultStatus(
            path: "/v", lockState: state, idleLeft: idle, maximumLeft: maximum, isMemoryLocked: idle == nil,
            warnings: warnings)
    }

    /// All that is in a reply.
    static func summary(_ reply: borrowing AgentReply) -> String {
        switch reply {
        case .hello(let version, let memory): "hello \(version) \(memory)"
        case .done: "done"
        case .status(let vaults): "status \(vaults)"
        case .epoch(let epoch): "epoch \(epoch)"
        case .value(let generation, .none): "value \(generation)"
        case .value(let generation, .some(let list)):
            "value \(generation) \(list.count) \(list.bytes.array(0..<min(list.count, 256)))"
        case .list(let generation, let entries, let hasMore, let now): "list \(generation) \(entries) \(hasMore) \(now)"
        case .changed(let generation, let outcomes, let warnings): "changed \(generation) \(outcomes) \(warnings)"
        case .details(let details): "details \(details)"
        case .failure(let failure): "failure \(failure)"
        }
    }
}
