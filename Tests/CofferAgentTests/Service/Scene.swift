import Coffer
import CofferAgent
import Foundation
import PropertyLists
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

/// A service with a time of its own, asked as the loop does.
final class Scene: Sendable {
    let clock = ManualClock()
    let service: AgentService
    private let next: Next

    private final class Next: Sendable {
        let body = Mutex<(call: FaultingSystemCalls.Call, run: @Sendable () -> Void)?>(nil)
    }

    /// - Parameter watchesFiles: without it, no look at a file of the library's own comes between two calls.
    init(
        lockTimeout: Duration = AgentService.longestWait, lookupTimeout: Duration = AgentService.longestLookup,
        watchesFiles: Bool = true,
        triggers: TriggerSurroundings? = nil, readers: Int = AgentService.mostReaders,
        failing fault: (FaultingSystemCalls.Fault, at: Int, of: FaultingSystemCalls.Call)? = nil
    ) {
        let next = Next()
        var surroundings = VaultSurroundings(
            system: FaultingSystemCalls(
                fault?.0, at: fault?.at, of: fault.map { [$0.of] },
                before: { call in
                    let run = next.body.withLock { waiting -> (@Sendable () -> Void)? in
                        guard waiting?.call == call else { return nil }
                        return waiting.take()?.run
                    }
                    run?()
                }))
        surroundings.clock = clock
        surroundings.stateDirectory = { nil }
        if let triggers { surroundings.triggers = triggers }
        service = AgentService(
            surroundings: surroundings, lockTimeout: lockTimeout, lookupTimeout: lookupTimeout,
            watchesFiles: watchesFiles, readers: readers)
        self.next = next
    }

    /// Has something run once, before the next system call of a kind.
    func before(_ call: FaultingSystemCalls.Call, _ body: @escaping @Sendable () -> Void) {
        next.body.withLock { $0 = (call, body) }
    }

    // MARK: Asking

    func begin(_ request: consuming AgentRequest) -> Pending {
        let pending = Pending()
        service.handle(request) { pending.take($0) }
        return pending
    }

    func ask(_ request: consuming AgentRequest) throws -> Answer { try begin(request).wait() }

    func epoch(_ path: String) throws -> UInt64 {
        guard case .epoch(let number) = try ask(.epoch(path: path)) else { throw VaultError.locked }
        return number
    }

    func unlock(
        _ place: TemporaryVault, path: String? = nil, epoch: UInt64? = nil, idle: Duration? = nil,
        maximumAge: Duration? = nil, passphrase: String = TemporaryVault.passphrase
    ) throws -> Answer {
        let path = path ?? place.path
        let epoch = try epoch ?? self.epoch(path)
        let key = try place.handle().deriveKey(Secret.text(passphrase))
        return try unlock(path, key.withBytes { $0.array }, epoch: epoch, idle: idle, maximumAge: maximumAge)
    }

    func unlock(
        _ path: String, _ key: [UInt8], epoch: UInt64, idle: Duration? = nil, maximumAge: Duration? = nil
    ) throws -> Answer {
        try ask(
            .unlock(
                AgentUnlock(
                    path: path, epoch: epoch, key: try GuardedBuffer(key), idle: idle, maximumAge: maximumAge)))
    }

    func text(_ place: TemporaryVault, _ name: String = "password") throws -> String? {
        try ask(.value(path: place.path, name: name)).text
    }

    /// A change of which each set has a text for a value.
    func beginChange(_ path: String, expected: UInt64? = nil, _ steps: [Step]) throws -> Pending {
        var values = try GuardedArena()
        var made: [AgentStep] = []
        for step in steps {
            switch step {
            case .set(let name, let text, let replaces):
                let range = try LeafList.append(string: Array(text.utf8).rawSpan, to: &values) ?? 0..<0
                made.append(.set(name: name, value: range, replaces: replaces))
            case .other(let step): made.append(step)
            }
        }
        return begin(.change(AgentChange(path: path, expected: expected, steps: made, values: values)))
    }

    func change(_ place: TemporaryVault, expected: UInt64? = nil, _ steps: Step...) throws -> Answer {
        try beginChange(place.path, expected: expected, steps).wait()
    }

    enum Step {
        case set(String, String, replaces: Bool = true)
        case other(AgentStep)
    }

    var status: [AgentVaultStatus] {
        guard case .status(let vaults)? = begin(.status).now else { return [] }
        return vaults
    }

    /// Waits until something is so, which other threads bring about.
    func waitUntil(_ condition: () -> Bool) -> Bool {
        for _ in 0..<6_000 {
            if condition() { return true }
            usleep(10_000)
        }
        return condition()
    }
}

/// Holds a thread up until it is let go.
final class Gate: Sendable {
    private let (arrived, opened) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    func pass() {
        arrived.signal()
        _ = opened.wait(timeout: .now() + 60)
    }

    func waitForArrival() { _ = arrived.wait(timeout: .now() + 60) }
    func open() { opened.signal() }
}
