import CSystem
import CofferAgent
import Foundation
import Testing
import VaultFile

@Suite("Client of the agent")
struct ConnectionTests {
    /// Connects and gives why it failed.
    static func failure(_ location: AgentLocation, timeout: Duration = .seconds(5)) -> AgentClientError? {
        do throws(AgentClientError) {
            _ = try AgentConnection(to: location, timeout: timeout)
            return nil
        } catch { return error }
    }

    @Test("Without a directory, a socket or anybody behind it there is no agent")
    func noAgent() throws {
        let place = try TestPlace()
        #expect(Self.failure(place.location) == .noAgent(path: place.location.socketPath, errno: ENOENT))
        try TestAgent(place).stop()
        #expect(Self.failure(place.location) == .noAgent(path: place.location.socketPath, errno: ENOENT))
        let socket = cs_socket()
        #expect(unsafe cs_socket_listen(socket, place.location.socketPath, 8) == 0)
        close(socket)
        #expect(Self.failure(place.location) == .noAgent(path: place.location.socketPath, errno: ECONNREFUSED))
    }

    @Test("A directory that others may enter is not trusted")
    func openDirectory() throws {
        let agent = try TestAgent()
        #expect(unsafe chmod(agent.location.directory, 0o755) == 0)
        let reason = "others may enter it: it needs the permissions 0700"
        #expect(Self.failure(agent.location) == .foreignAgent(path: agent.location.directory, reason: reason))
        #expect(unsafe chmod(agent.location.directory, 0o700) == 0)
        try agent.stop()
    }

    @Test("An agent that says nothing is waited for as long as the caller wants")
    func timeouts() throws {
        let place = try TestPlace()
        let silent = try FakeAgent(place.location) { _ in nil }
        let start = ContinuousClock.now
        #expect(Self.failure(place.location, timeout: .milliseconds(200)) == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(10))
        // A question that may take longer waits no longer for the greeting.
        var asking = try AgentConnection(greeting: place.location)
        #expect(Self.failure(of: &asking, .status, .seconds(60)) == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(40))
        silent.close()
        let agent = try TestAgent()
        var connection = try agent.connect()
        let results = [
            Self.failure(of: &connection, .value(path: "/v", name: "never"), .milliseconds(100)),
            // A late answer must not be taken for that of the next request.
            Self.failure(of: &connection, .epoch(path: "/"), .seconds(5)),
        ]
        #expect(results == [.timedOut, .broken])
        agent.stub.release()
        try agent.stop()
    }

    @Test("An answer that has come is taken, however long its client slept")
    func lateClient() throws {
        let agent = try TestAgent()
        var first = try AgentConnection(greeting: agent.location, timeout: .milliseconds(100))
        var second = try AgentConnection(greeting: agent.location, timeout: .milliseconds(100))
        usleep(300_000)
        let reply = try first.exchange(.epoch(path: "/abc"))
        #expect(SampleReplies.summary(reply) == "epoch 4")
        let memory = try second.memory()
        #expect(memory.isLocked)
        try agent.stop()
    }

    private static func failure(
        of connection: inout AgentConnection, _ request: consuming AgentRequest, _ timeout: Duration
    ) -> AgentClientError? {
        do throws(AgentClientError) {
            _ = try connection.exchange(request, timeout: timeout)
            return nil
        } catch { return error }
    }

    @Test("Nonsense, ends and other versions are told apart")
    func answers() throws {
        let cases: [([UInt8], AgentClientError)] = [
            ([], .broken), ([1, 0], .broken), ([0, 0, 0, 0], .broken), ([255, 255, 255, 255], .broken),
            ([1, 0, 0, 0, 99], .broken), ([1, 0, 0, 0, 2], .broken),
            ([9, 0, 0, 0, 1, 7, 0, 0, 0, 1, 1, 0, 0], .version(7)),
            ([6, 0, 0, 0, 9, 2, 8, 0, 0, 0], .version(8)),
        ]
        for (bytes, expected) in cases {
            let place = try TestPlace()
            let fake = try FakeAgent(place.location) { _ in bytes }
            #expect(Self.failure(place.location) == expected, "\(bytes)")
            fake.close()
        }
    }

    @Test("What an agent said before it hung up is heard, also by who was still sending")
    func refusalWhileSending() throws {
        var limits = AgentLimits()
        limits.incomingBytes = 1 << 16
        let agent = try TestAgent(limits: limits)
        var connection = try agent.connect()
        let reply = try connection.exchange(.change(try LargeChange.make(1 << 24)))
        #expect(SampleReplies.summary(reply) == "failure busy")
        try agent.stop()
    }

    @Test("Who asks the agent to end can wait until it is gone")
    func waitForEnd() throws {
        let agent = try TestAgent()
        var connection = try agent.connect()
        let reply = try connection.exchange(.stop)
        #expect(SampleReplies.summary(reply) == "done")
        let hasEnded = connection.waitForEnd(timeout: .seconds(10))
        #expect(hasEnded)
        #expect(agent.place.mode(agent.location.socketPath) == nil)
        #expect(agent.stub.seen.lockedAll == 1)
        #expect(agent.stub.seen.hasStopped)
    }

    @Test("What had begun is answered before the agent ends, and nothing new is taken")
    func farewell() throws {
        let agent = try TestAgent()
        let waiting = try agent.raw()
        try waiting.greet()
        try waiting.send(.value(path: "/v", name: "never"))
        let idle = try agent.raw()
        try idle.greet()
        usleep(50_000)
        var connection = try agent.connect()
        _ = try connection.exchange(.stop)
        #expect(idle.isEnded())
        #expect(!waiting.isEnded(within: 0.1))
        #expect(agent.stub.seen.lockedAll == 1)
        agent.stub.release()
        #expect(waiting.reply() == "done")
        #expect(agent.waitForEnd() == .ended)
    }

    @Test("An end does not wait for ever")
    func shortFarewell() throws {
        var limits = AgentLimits()
        limits.farewell = .milliseconds(300)
        let agent = try TestAgent(limits: limits)
        let waiting = try agent.raw()
        try waiting.greet()
        try waiting.send(.value(path: "/v", name: "never"))
        usleep(50_000)
        #expect(try agent.stop() == .ended)
        #expect(waiting.isEnded())
    }
}
