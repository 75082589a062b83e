import CSystem
import CofferAgent
import Foundation
import TestSupport
import Testing

@Suite("Process of the agent")
struct AgentProcessTests {
    @Test("SIGTERM, SIGINT and SIGHUP lock everything and end the agent")
    func signals() async throws {
        await #expect(processExitsWith: .success) {
            for number in [SIGTERM, SIGINT, SIGHUP] {
                let agent = try ForkedAgent(TestPlace())
                let client = try RawClient(agent.place.location.socketPath)
                try client.greet()
                kill(agent.process, number)
                try #require(client.isEnded())
                try #require(agent.waitForEnd() == 0)
                try #require(agent.place.mode(agent.place.location.socketPath) == nil)
            }
        }
    }

    @Test("An agent whose socket or directory is taken away locks everything and ends")
    func socketGone() async throws {
        await #expect(processExitsWith: .success) {
            let files = FileManager.default
            let removals: [@Sendable (AgentLocation) throws -> Void] = [
                { try files.removeItem(atPath: $0.socketPath) },
                { try files.moveItem(atPath: $0.socketPath, toPath: $0.socketPath + ".old") },
                { try files.removeItem(atPath: $0.directory) },
            ]
            for remove in removals {
                let agent = try ForkedAgent(TestPlace())
                let client = try RawClient(agent.place.location.socketPath)
                try client.greet()
                try remove(agent.place.location)
                try #require(client.isEnded(within: 30))
                try #require(agent.waitForEnd() == 0)
            }
        }
    }

    @Test("A second signal ends an agent that waits for its handler")
    func secondSignal() async throws {
        await #expect(processExitsWith: .success) {
            let agent = try ForkedAgent(TestPlace())
            let client = try RawClient(agent.place.location.socketPath)
            try client.greet()
            try client.send(.value(path: "/v", name: "never"))
            usleep(100_000)
            kill(agent.process, SIGTERM)
            try #require(!client.isEnded(within: 0.3))
            kill(agent.process, SIGTERM)
            try #require(client.isEnded(within: 5))
            try #require(agent.waitForEnd() == 0)
        }
    }

    @Test("Without a descriptor left, the longest idle connection goes and new ones are served")
    func descriptorExhaustion() async throws {
        await #expect(processExitsWith: .success) {
            var limits = AgentLimits()
            limits.sparedDescriptors = 0
            let agent = try ForkedAgent(TestPlace(), limits: limits) {
                var limit = rlimit(rlim_cur: 40, rlim_max: 40)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            }
            let path = agent.place.location.socketPath
            let clients = try (0..<100).map { _ in
                let client = try RawClient(path)
                try client.greet()
                return client
            }
            try #require(clients.prefix(60).allSatisfy { $0.isEnded() })
            try #require(clients.suffix(20).allSatisfy { !$0.isEnded(within: 0) })
            // Now all that are left have something to do: who comes waits, and the agent does not spin.
            for client in clients { try client.send(.value(path: "/v", name: "never")) }
            let late = try (0..<40).map { _ in try RawClient(path) }
            for client in late { try client.send(.hello(version: AgentProtocol.version)) }
            for client in late { try client.send(.value(path: "/v", name: "never")) }
            usleep(300_000)
            let before = agent.processorTime
            usleep(1_500_000)
            try #require(agent.processorTime - before < 300)
            kill(agent.process, SIGTERM)
            kill(agent.process, SIGTERM)
            withExtendedLifetime(late) {}
            try #require(agent.waitForEnd() == 0)
        }
    }

    @Test("Another user gets not one byte, even where a door stands open", .enabled(if: geteuid() == 0))
    func otherUser() async throws {
        await #expect(processExitsWith: .success) {
            let agent = try ForkedAgent(TestPlace())
            let location = agent.place.location
            try #require(unsafe chmod(agent.place.root, 0o755) == 0)
            for path in [location.directory, location.socketPath] {
                try #require(unsafe chmod(path, 0o777) == 0)
            }
            let status = try Child.status {
                guard setgid(12_345) == 0, setuid(12_345) == 0 else { return 2 }
                guard let client = try? RawClient(location.socketPath) else { return 3 }
                return client.isEnded() ? 0 : 4
            }
            try #require(status == 0)
            try #require(unsafe chmod(location.directory, 0o700) == 0)
            _ = try AgentConnection(to: location)
            kill(agent.process, SIGTERM)
            try #require(agent.waitForEnd() == 0)
        }
    }

    @Test("A client sends nothing to a listener of another user", .enabled(if: geteuid() == 0))
    func otherListener() async throws {
        await #expect(processExitsWith: .success) {
            let location = try TestPlace().location
            try FileManager.default.createDirectory(atPath: location.directory, withIntermediateDirectories: true)
            try #require(unsafe chmod(location.directory, 0o777) == 0)
            try #require(unsafe chmod((location.directory as NSString).deletingLastPathComponent, 0o755) == 0)
            var ends: [Int32] = [-1, -1]
            try #require(unsafe pipe(&ends) == 0)
            let child = try Child.start {
                guard setgid(12_345) == 0, setuid(12_345) == 0 else { return 2 }
                let socket = cs_socket()
                guard unsafe cs_socket_listen(socket, location.socketPath, 8) == 0 else { return 3 }
                _ = unsafe write(ends[1], "x", 1)
                var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&entry, 1, 20_000) > 0 else { return 4 }
                let connection = cs_socket_accept(socket)
                entry.fd = connection
                guard unsafe poll(&entry, 1, 20_000) > 0 else { return 5 }
                var byte: UInt8 = 0
                return unsafe recv(connection, &byte, 1, 0) == 0 ? 0 : 6
            }
            var byte: UInt8 = 0
            try #require(unsafe read(ends[0], &byte, 1) == 1)
            try #require(unsafe chmod(location.directory, 0o700) == 0)
            let failure = ConnectionTests.failure(location)
            try #require(failure == .foreignAgent(path: location.socketPath, reason: "another user listens there"))
            var status: Int32 = 0
            try #require(unsafe waitpid(child, &status, 0) == child)
            try #require(status == 0)
        }
    }

    @Test("A socket of the service manager is listened at, and stays")
    func socketActivation() async throws {
        await #expect(processExitsWith: .success) {
            let place = try TestPlace()
            try FileManager.default.createDirectory(
                atPath: place.location.directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let listener = cs_socket()
            try #require(unsafe cs_socket_listen(listener, place.location.socketPath, 8) == 0)
            // Who connects before there is an agent is served too.
            let early = try RawClient(place.location.socketPath)
            try early.send(.hello(version: AgentProtocol.version))
            dup2(listener, 3)
            let agent = try ForkedAgent(place) {
                unsafe setenv("LISTEN_PID", "\(getpid())", 1)
                unsafe setenv("LISTEN_FDS", "1", 1)
            }
            try #require(early.reply()?.hasPrefix("hello") == true)
            var connection = try AgentConnection(to: place.location)
            _ = try connection.exchange(.stop)
            try #require(agent.waitForEnd() == 0)
            try #require(place.mode(place.location.socketPath) != nil)
        }
    }

    @Test("A socket of the service manager that clients look for elsewhere is refused")
    func foreignSocket() async throws {
        await #expect(processExitsWith: .success) {
            let place = try TestPlace()
            let listener = cs_socket()
            try #require(unsafe cs_socket_listen(listener, "\(place.root)/other.sock", 8) == 0)
            dup2(listener, 3)
            let agent = try ForkedAgent(place) {
                unsafe setenv("LISTEN_PID", "\(getpid())", 1)
                unsafe setenv("LISTEN_FDS", "1", 1)
            }
            try #require(agent.waitForEnd() == 1)
        }
    }

    @Test("With a socket of the service manager, an agent that is still ending is waited for")
    func handover() async throws {
        await #expect(processExitsWith: .success) {
            let place = try TestPlace()
            try FileManager.default.createDirectory(
                atPath: place.location.directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let listener = cs_socket()
            try #require(unsafe cs_socket_listen(listener, place.location.socketPath, 8) == 0)
            dup2(listener, 3)
            let lock = unsafe open(place.location.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(cs_flock(lock, LOCK_EX) == 0)
            Thread.detachNewThread {
                usleep(500_000)
                _ = cs_flock(lock, LOCK_UN)
            }
            let agent = try ForkedAgent(place) {
                unsafe setenv("LISTEN_PID", "\(getpid())", 1)
                unsafe setenv("LISTEN_FDS", "1", 1)
            }
            var connection = try AgentConnection(to: place.location)
            _ = try connection.exchange(.stop)
            try #require(agent.waitForEnd() == 0)
        }
    }
}
