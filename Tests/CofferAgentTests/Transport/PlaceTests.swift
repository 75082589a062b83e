import CSystem
import CofferAgent
import Foundation
import Testing

@Suite("The agent's directory, socket and lock")
struct PlaceTests {
    private static func run(_ place: TestPlace) throws -> (said: String, outcome: AgentProgram.Outcome?) {
        let agent = try TestAgent(place)
        if agent.ready == "ready\n" { try agent.stop() }
        return (agent.ready, agent.waitForEnd())
    }

    private static func refusal(_ place: TestPlace) throws -> String? {
        guard case .refused(_, let reason) = try run(place).outcome else { return nil }
        return reason
    }

    @Test("Directory and socket are the user's alone, and the socket goes with the agent")
    func permissions() throws {
        let agent = try TestAgent()
        #expect(agent.place.mode(agent.location.directory) == S_IFDIR | 0o700)
        #expect(agent.place.mode(agent.location.socketPath) == S_IFSOCK | 0o600)
        #expect(agent.place.mode(agent.location.lockPath) == S_IFREG | 0o600)
        try agent.stop()
        #expect(agent.place.mode(agent.location.socketPath) == nil)
        #expect(agent.place.mode(agent.location.lockPath) != nil)
    }

    @Test("A second agent leaves the first alone, and says so")
    func second() throws {
        let agent = try TestAgent()
        let result = try Self.run(agent.place)
        #expect(result.said == "running\n")
        #expect(result.outcome == .alreadyRunning)
        #expect(try agent.serves())
        try agent.stop()
        // A process that another test starts at this moment has the lock too, until it runs its own program.
        var outcome = try Self.run(agent.place).outcome
        for _ in 0..<100 where outcome == .alreadyRunning {
            usleep(20_000)
            outcome = try Self.run(agent.place).outcome
        }
        #expect(outcome == .ended)
    }

    @Test("A socket that nobody answers at is replaced")
    func stale() throws {
        let place = try TestPlace()
        let socket = try Self.listen(place)
        close(socket)
        let agent = try TestAgent(place)
        #expect(agent.ready == "ready\n")
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("A socket that somebody answers at is not, even without a lock")
    func live() throws {
        let place = try TestPlace()
        let socket = try Self.listen(place)
        #expect(try Self.run(place).outcome == .alreadyRunning)
        #expect(place.mode(place.location.socketPath) != nil)
        close(socket)
    }

    @Test("A socket that took the place of the agent's own is not removed")
    func replaced() async throws {
        // In a process of its own: an agent whose socket is taken away ends all of its process with a signal.
        await #expect(processExitsWith: .success) {
            let agent = try ForkedAgent(TestPlace())
            let path = agent.place.location.socketPath
            let other = "\(agent.place.root)/other.sock"
            let socket = cs_socket()
            try #require(unsafe cs_socket_listen(socket, other, 8) == 0)
            try #require(unsafe rename(other, path) == 0)
            try #require(agent.waitForEnd() == 0)
            try #require(agent.place.mode(path) != nil)
            close(socket)
        }
    }

    @Test("What is no socket is left where it is")
    func noSocket() throws {
        let place = try TestPlace()
        try Self.makeDirectory(place)
        try Data("mine".utf8).write(to: URL(filePath: place.location.socketPath))
        let result = try Self.run(place)
        #expect(result.outcome == .refused(path: place.location.socketPath, reason: "it is no socket"))
        // And whoever waits for it is told.
        #expect(result.said == "refused\t\(place.location.socketPath)\tit is no socket\n")
        #expect(FileManager.default.contents(atPath: place.location.socketPath) == Data("mine".utf8))
    }

    @Test("A link is followed neither to a directory, nor to a socket, nor to a lock")
    func links() throws {
        let place = try TestPlace()
        try FileManager.default.createDirectory(
            atPath: "\(place.root)/other", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createSymbolicLink(atPath: place.location.directory, withDestinationPath: "other")
        #expect(try Self.refusal(place) == "it is no directory")
        try FileManager.default.removeItem(atPath: place.location.directory)
        try Self.makeDirectory(place)
        try FileManager.default.createSymbolicLink(atPath: place.location.socketPath, withDestinationPath: "nowhere")
        #expect(try Self.refusal(place) == "it is no socket")
        try FileManager.default.removeItem(atPath: place.location.socketPath)
        try FileManager.default.removeItem(atPath: place.location.lockPath)
        try FileManager.default.createSymbolicLink(atPath: place.location.lockPath, withDestinationPath: "nowhere")
        #expect(try Self.refusal(place) == "it is no file")
    }

    @Test("A directory that others may enter is refused", arguments: [0o710, 0o701, 0o770, 0o777])
    func openDirectory(mode: Int) throws {
        let place = try TestPlace()
        try Self.makeDirectory(place, mode)
        #expect(try Self.refusal(place) == "others may enter it: it needs the permissions 0700")
        #expect(place.mode(place.location.directory) == S_IFDIR | UInt32(mode))
    }

    @Test("A directory of another user is refused by both ends", .enabled(if: geteuid() == 0))
    func foreignDirectory() throws {
        let place = try TestPlace()
        try Self.makeDirectory(place)
        #expect(unsafe chown(place.location.directory, 12_345, 12_345) == 0)
        #expect(try Self.refusal(place) == "it belongs to another user")
        let refusal = AgentClientError.foreignAgent(
            path: place.location.directory, reason: "it belongs to another user")
        #expect(throws: refusal) { _ = try AgentConnection(to: place.location) }
    }

    @Test("A directory in one of another user is refused by both ends", .enabled(if: geteuid() == 0))
    func foreignParent() throws {
        let place = try TestPlace()
        try Self.makeDirectory(place)
        #expect(unsafe chown(place.root, 12_345, 12_345) == 0)
        let reason = "another user may put another in its place, who owns the directory around it"
        #expect(try Self.refusal(place) == reason)
        #expect(throws: AgentClientError.foreignAgent(path: place.location.directory, reason: reason)) {
            _ = try AgentConnection(to: place.location)
        }
    }

    @Test("A path that is too long for a socket is refused with the limit")
    func longPath() throws {
        let place = try TestPlace()
        let long = AgentLocation(directory: "\(place.root)/\(String(repeating: "d", count: 100))")
        let options = AgentProgram.Options(location: long)
        guard case .refused(let path, let reason) = AgentProgram.serve(options, makeHandler: { StubHandler() }) else {
            Issue.record("an agent with a long path")
            return
        }
        #expect(path == long.socketPath)
        #expect(reason.contains("107 bytes"))
        #expect(place.mode(long.directory) == nil)
    }

    @Test("A directory that cannot be made is told with the system's reason")
    func missingParent() throws {
        let options = AgentProgram.Options(location: AgentLocation(directory: "/nowhere/at/all"))
        let outcome = AgentProgram.serve(options) { StubHandler() }
        #expect(outcome == .failed(step: "make the runtime directory", errno: ENOENT, path: "/nowhere/at/all"))
    }

    // MARK: Helpers

    private static func makeDirectory(_ place: TestPlace, _ mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(atPath: place.location.directory, withIntermediateDirectories: false)
        #expect(unsafe chmod(place.location.directory, mode_t(mode)) == 0)
    }

    private static func listen(_ place: TestPlace) throws -> Int32 {
        if place.mode(place.location.directory) == nil { try makeDirectory(place) }
        let socket = cs_socket()
        guard unsafe cs_socket_listen(socket, place.location.socketPath, 8) == 0 else { throw POSIXError(.EIO) }
        return socket
    }
}
