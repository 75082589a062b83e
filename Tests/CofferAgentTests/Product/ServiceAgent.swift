import Coffer
import CofferAgent
import CofferAgentClient
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import VaultFile

/// A whole agent on a thread of this process, with a look at what comes to it.
final class ServiceAgent: Sendable {
    let place: TestPlace
    let watcher = Watcher()
    private let ended = DispatchSemaphore(value: 0)
    private let isStopped = Mutex(false)

    var location: AgentLocation { place.location }

    init(_ place: TestPlace? = nil) throws {
        self.place = try place ?? TestPlace()
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let (location, watcher, ended) = (self.place.location, watcher, ended)
        Thread.detachNewThread {
            _ = AgentProgram.serve(
                AgentProgram.Options(location: location, readyDescriptor: writing), limits: AgentLimits()
            ) { watcher }
            ended.signal()
        }
        var byte: UInt8 = 0
        _ = unsafe read(reading, &byte, 1)
    }

    deinit { try? stop() }

    /// Ends it, if that has not been done: by now another one may listen at its place.
    func stop() throws {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        guard !wasStopped else { return }
        guard var connection = try? AgentConnection(to: location) else { return }
        _ = try connection.exchange(.stop)
        _ = ended.wait(timeout: .now() + 20)
    }

    /// The app's handle for a vault.
    func vault(_ vault: TemporaryVault, path: String? = nil) -> AgentVault {
        AgentVault(at: .file(path ?? vault.path), agent: location)
    }

    /// What `coffer unlock` does.
    func unlock(_ vault: TemporaryVault) throws {
        var connection = try AgentConnection(to: location)
        guard case .epoch(let epoch) = try connection.exchange(.epoch(path: vault.path)) else {
            throw VaultError.locked
        }
        let key = try vault.handle().deriveKey(Secret.text(TemporaryVault.passphrase))
        let bytes = try key.withBytes { bytes in try GuardedBuffer(copying: bytes) }
        let reply = try connection.exchange(
            .unlock(AgentUnlock(path: vault.path, epoch: epoch, key: bytes, idle: nil, maximumAge: nil)))
        guard case .done = reply else { throw VaultError.locked }
    }
}

/// The service, and who is told of each request before it.
final class Watcher: AgentHandler {
    enum Verb: Equatable { case value, change, other }

    private let service: AgentService
    private let before = Mutex<(@Sendable (Verb) -> Void)?>(nil)
    private let counts = Mutex<(values: Int, changes: Int)>((0, 0))

    init() {
        var surroundings = VaultSurroundings()
        surroundings.stateDirectory = { nil }
        service = AgentService(surroundings: surroundings)
    }

    var seen: (values: Int, changes: Int) { counts.withLock { $0 } }

    /// Has something done before the next request of a kind.
    func beforeNext(_ verb: Verb, after skipped: Int = 0, _ body: @escaping @Sendable () -> Void) {
        let left = Mutex(skipped)
        before.withLock { before in
            before = { [self] found in
                guard found == verb else { return }
                let isNow = left.withLock { left in
                    left -= 1
                    return left < 0
                }
                guard isNow else { return }
                self.before.withLock { $0 = nil }
                body()
            }
        }
    }

    func handle(
        _ request: consuming AgentRequest, _ reply: @escaping @Sendable (consuming AgentReply) -> Void
    ) {
        let verb: Verb
        switch request {
        case .value: verb = .value
        case .change: verb = .change
        default: verb = .other
        }
        counts.withLock { counts in
            if verb == .value { counts.values += 1 }
            if verb == .change { counts.changes += 1 }
        }
        before.withLock { $0 }?(verb)
        service.handle(request, reply)
    }

    func noticeLocks() -> (count: UInt64, epoch: UInt64) { service.noticeLocks() }
    func isHeld(_ path: String) -> Bool { service.isHeld(path) }
    func isHeld(_ path: String, since count: UInt64) -> Bool { service.isHeld(path, since: count) }
    func knownPlace(of path: String) -> [UInt8]? { service.knownPlace(of: path) }
    func lockAll() { service.lockAll() }
    func stop() { service.stop() }
}

extension SettingKey<String> { static let host = SettingKey("host", default: "localhost") }
extension SettingKey<Int> { static let count = SettingKey("count", default: 0) }
extension SettingKey<Int?> { static let limit = SettingKey("limit") }
extension SecretKey { static let password = SecretKey("password") }

extension AgentVault {
    func text(of key: SecretKey) throws -> String {
        try withBytes(of: key) { bytes in unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
    }
}

extension TemporaryVault {
    /// A save by a program that has the passphrase.
    func save(_ body: (inout Draft) throws -> Void) throws { try unlocked().update(body) }
}
