import CofferAgent
import Foundation
import Synchronization

/// A runtime directory of a test's own, with a short path.
final class TestPlace: Sendable {
    let root: String
    let location: AgentLocation

    init() throws {
        var template = Array("/tmp/coffer-agent-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        location = AgentLocation(directory: "\(root)/run")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func mode(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode : nil
    }
}

/// An agent on a thread of this process, which answers as a stub does.
final class TestAgent: Sendable {
    let place: TestPlace
    let stub = StubHandler()
    private let end = End()

    private final class End: Sendable {
        let outcome = Mutex<AgentProgram.Outcome?>(nil)
        let semaphore = DispatchSemaphore(value: 0)
    }

    var location: AgentLocation { place.location }

    /// Starts the agent and waits until it is ready, or has said that it will not be.
    init(_ place: TestPlace? = nil, limits: AgentLimits = AgentLimits()) throws {
        self.place = try place ?? TestPlace()
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let (location, stub, end) = (self.place.location, stub, end)
        Thread.detachNewThread {
            let result = AgentProgram.serve(
                AgentProgram.Options(location: location, readyDescriptor: writing), limits: limits
            ) { stub }
            end.outcome.withLock { $0 = result }
            end.semaphore.signal()
        }
        var line = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe read(reading, &line, line.count)
        ready = String(decoding: line.prefix(max(count, 0)), as: UTF8.self)
    }

    /// What the agent said to who waits for it.
    let ready: String

    func connect() throws -> AgentConnection { try AgentConnection(to: location) }

    func raw() throws -> RawClient { try RawClient(location.socketPath) }

    /// Whether somebody who comes now is served.
    func serves() throws -> Bool {
        var connection = try connect()
        let reply = try connection.exchange(.epoch(path: "/abc"), timeout: .seconds(10))
        guard case .epoch(4) = reply else { return false }
        return true
    }

    /// Ends it and gives what it ended with.
    @discardableResult
    func stop() throws -> AgentProgram.Outcome? {
        var connection = try connect()
        _ = try connection.exchange(.stop)
        return waitForEnd()
    }

    /// What it ended with, or nil if it does not.
    func waitForEnd(_ seconds: Double = 20) -> AgentProgram.Outcome? {
        guard end.semaphore.wait(timeout: .now() + seconds) == .success else { return nil }
        end.semaphore.signal()
        return end.outcome.withLock { $0 }
    }
}
