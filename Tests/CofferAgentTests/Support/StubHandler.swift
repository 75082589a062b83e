import Coffer
import CofferAgent
import Foundation
import SecureMemory
import Synchronization

/// Answers as a test wants: the name of a setting says how.
final class StubHandler: AgentHandler {
    typealias Reply = @Sendable (consuming AgentReply) -> Void

    struct State: Sendable {
        var lockedAll = 0
        var locks: UInt64 = 0
        var hasStopped = false
        /// The loop's thread, under `/proc`.
        var thread = ""
        var changes = 0
        var reports = 0
        /// What a status tells of.
        var vaults: [AgentVaultStatus] = []
        /// What a change warns of.
        var warnings: [VaultWarning] = []
        var mostReads = 0
        var reads = 0
        var held: [Reply] = []
        /// Reads that are held back, and how long the values are.
        var heldReads: [(reply: Reply, count: Int)] = []
        /// The paths of vaults that no lock reaches.
        var open: Set<String> = []
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "stub", attributes: .concurrent)

    var seen: State { state.withLock { $0 } }

    func handle(_ request: consuming AgentRequest, _ reply: @escaping Reply) {
        let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        state.withLock { $0.thread = "/proc/\(thread ?? "")" }
        switch consume request {
        case .hello(let version):
            let memory = AgentMemory(isLocked: true, isWipedOnFork: true, bindsLazily: false, refusals: [])
            reply(.hello(version: version, memory: memory))
        case .status:
            let vaults = state.withLock { state in
                state.reports += 1
                return state.vaults
            }
            reply(.status(vaults))
        case .epoch(let path): reply(.epoch(UInt64(path.utf8.count)))
        case .unlock: reply(.done)
        case .lock:
            state.withLock { $0.locks += 1 }
            reply(.done)
        case .value(_, let name): value(name, reply)
        case .list(_, let after): reply(.list(generation: 1, entries: [], hasMore: after != nil, now: 0))
        case .change(let change):
            let (count, bytes) = (change.steps.count, UInt64(change.values.count))
            let warnings = state.withLock { state in
                state.changes += 1
                return state.warnings
            }
            if count == 0 { return hold(reply) }
            let outcomes = [AgentOutcome](repeating: AgentOutcome(before: nil), count: count)
            queue.async { reply(.changed(generation: bytes, outcomes: outcomes, warnings: warnings)) }
        case .details: reply(.failure(.vault(.locked)))
        case .stop: reply(.done)
        }
    }

    /// From now on, as many vaults as there can be are held, with the longest paths.
    func holdLongPaths() {
        let vault = AgentVaultStatus(
            path: String(repeating: "/", count: AgentProtocol.maximumPath), lockState: .unlocked, idleLeft: nil,
            maximumLeft: nil, isMemoryLocked: true, warnings: [])
        state.withLock { $0.vaults = Array(repeating: vault, count: 32) }
    }

    /// From now on, no frame holds the answer to a change.
    func answerTooMuch() {
        let path = String(repeating: "/", count: AgentProtocol.maximumFrame + 1)
        state.withLock { $0.warnings = [.freshnessNotRemembered(errno: 0, path: path)] }
    }

    /// From now on, no lock reaches a vault.
    func keepOpen(_ path: String) { state.withLock { _ = $0.open.insert(path) } }

    /// A name is `bytes N`, `held N`, `slow`, `never`, `dropped`, or of no setting.
    private func value(_ name: String, _ reply: @escaping Reply) {
        let words = name.split(separator: " ")
        switch words.first {
        case "bytes":
            let count = words.last.flatMap { Int($0) } ?? 0
            queue.async {
                guard let list = try? GuardedBuffer(count: count) else { return reply(.failure(.busy)) }
                reply(.value(generation: 1, list: list))
            }
        case "slow":
            state.withLock { state in
                state.reads += 1
                state.mostReads = max(state.mostReads, state.reads)
            }
            queue.asyncAfter(deadline: .now() + .milliseconds(5)) { [self] in
                state.withLock { $0.reads -= 1 }
                reply(.value(generation: 1, list: nil))
            }
        case "never": hold(reply)
        case "held":
            let count = words.last.flatMap { Int($0) } ?? 0
            state.withLock { $0.heldReads.append((reply, count)) }
        case "dropped": break
        default: reply(.value(generation: 1, list: nil))
        }
    }

    private func hold(_ reply: @escaping Reply) { state.withLock { $0.held.append(reply) } }

    /// Answers what was held back.
    func release() {
        let (held, reads) = state.withLock { state in
            defer { (state.held, state.heldReads) = ([], []) }
            return (state.held, state.heldReads)
        }
        for reply in held { reply(.done) }
        for (reply, count) in reads { reply(.value(generation: 1, list: try? GuardedBuffer(count: count))) }
    }

    func noticeLocks() -> (count: UInt64, epoch: UInt64) { state.withLock { ($0.locks, $0.locks) } }
    func isHeld(_ path: String) -> Bool { state.withLock { $0.open.contains(path) } }
    func isHeld(_ path: String, since count: UInt64) -> Bool { isHeld(path) }
    func knownPlace(of path: String) -> [UInt8]? { Array(path.utf8) }
    func lockAll() { state.withLock { $0.lockedAll += 1 } }
    func stop() { state.withLock { $0.hasStopped = true } }
}
