import CofferAgent
import Foundation
import SecureMemory
import Testing
import VaultFile

@Suite("Loop of the agent")
struct LoopTests {
    @Test("A client is greeted and answered, one request after the other")
    func exchanges() throws {
        let agent = try TestAgent()
        #expect(agent.ready == "ready\n")
        var connection = try agent.connect()
        #expect(try connection.memory().isLocked)
        for length in 1...3 {
            let reply = try connection.exchange(.epoch(path: String(repeating: "/", count: length)))
            #expect(SampleReplies.summary(reply) == "epoch \(length)")
        }
        let value = try connection.exchange(.value(path: "/v", name: "none"))
        #expect(SampleReplies.summary(value) == "value 1")
        #expect(try agent.stop() == .ended)
        #expect(agent.stub.seen.hasStopped)
    }

    @Test("Values of 1 byte, 64 KiB and 16 MiB pass unchanged", arguments: [1, 1 << 16, 1 << 24])
    func values(count: Int) throws {
        let agent = try TestAgent()
        var connection = try agent.connect()
        let changed = try connection.exchange(.change(LargeChange.make(count)))
        guard case .changed(let bytes, _, _) = changed else { throw POSIXError(.EPROTO) }
        #expect(bytes == count)
        let reply = try connection.exchange(.value(path: "/v", name: "bytes \(count)"))
        guard case .value(_, .some(let list)) = reply else { throw POSIXError(.EPROTO) }
        #expect(list.count == count)
        try agent.stop()
    }

    @Test("A client that writes one byte at a time is served, and keeps nobody waiting")
    func oneByteAtATime() throws {
        let agent = try TestAgent()
        let slow = try agent.raw()
        for request in [AgentRequestMaker.hello, AgentRequestMaker.epoch] {
            for byte in try request() {
                slow.send([byte])
                #expect(try agent.serves())
            }
            #expect(slow.reply() != nil)
        }
        try agent.stop()
    }

    @Test("Requests that come all at once are answered in their order")
    func pipelined() throws {
        let agent = try TestAgent()
        let client = try agent.raw()
        let requests = try AgentRequestMaker.hello() + (1...50).flatMap { try AgentRequestMaker.epoch($0) }
        client.send(requests)
        #expect(client.reply()?.hasPrefix("hello") == true)
        for length in 1...50 { #expect(client.reply() == "epoch \(length)") }
        try agent.stop()
    }

    @Test("A request that the handler drops ends its connection and no other")
    func dropped() throws {
        let agent = try TestAgent()
        let client = try agent.raw()
        try client.greet()
        try client.send(.value(path: "/v", name: "dropped"))
        #expect(client.isEnded())
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("A change that was made is not answered as one that was not, when no frame can say so")
    func unsayable() throws {
        let agent = try TestAgent()
        agent.stub.answerTooMuch()
        let client = try agent.raw()
        try client.greet()
        try client.send(.change(LargeChange.make(1)))
        #expect(client.isEnded())
        #expect(agent.stub.seen.changes == 1)
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("Whoever speaks another version can lock everything and end the agent, and nothing else")
    func otherVersion() throws {
        let agent = try TestAgent()
        // As it is written down for every version.
        let greeting: [UInt8] = [7, 0, 0, 0, 1, 9, 0, 0, 0, 1, 2]
        let refusal = "failure version(\(AgentProtocol.version))"
        let (client, other) = (try agent.raw(), try agent.raw())
        for client in [client, other] {
            client.send(greeting)
            #expect(client.reply() == refusal)
        }
        client.send([2, 0, 0, 0, 5, 0])
        #expect(client.reply() == "done")
        #expect(agent.stub.seen.locks == 1)
        try other.send(.lock(path: "/v"))
        #expect(other.reply() == refusal)
        #expect(other.isEnded())
        #expect(agent.stub.seen.locks == 1)
        client.send([1, 0, 0, 0, 0x0A])
        #expect(client.reply() == "done")
        #expect(agent.waitForEnd() == .ended)
        #expect(client.isEnded() || agent.stub.seen.hasStopped)
    }

    @Test("Reads are handed over a few at a time, and all are answered")
    func readsInTurn() throws {
        var limits = AgentLimits()
        limits.readsInFlight = 3
        let agent = try TestAgent(limits: limits)
        let clients = try (0..<40).map { _ in try agent.raw() }
        for client in clients { try client.greet() }
        for (number, client) in clients.enumerated() { try client.send(.value(path: "/v\(number)", name: "slow")) }
        #expect(try agent.serves())
        for client in clients { #expect(client.reply() == "value 1") }
        #expect(agent.stub.seen.mostReads <= 3)
        try agent.stop()
    }

    @Test("A lock takes back a value that its client has not read, and a change that waits")
    func lockReachesWhatWaits() throws {
        var limits = AgentLimits()
        limits.changesInFlight = 0
        let agent = try TestAgent(limits: limits)
        let (reader, changer) = (try agent.raw(), try agent.raw())
        try reader.greet()
        try changer.greet()
        try reader.send(.value(path: "/v", name: "bytes \(1 << 24)"))
        #expect(reader.waitForBytes())
        try changer.send(.change(LargeChange.make(1)))
        #expect(try agent.serves())
        #expect(!reader.isHungUp(within: 0.1))
        var other = try agent.connect()
        _ = try other.exchange(.lock(path: "/v"))
        #expect(reader.isHungUp(within: 5))
        #expect(changer.reply(within: 5)?.contains("locked") == true)
        #expect(agent.stub.seen.changes == 0)
        try agent.stop()
    }

    @Test("An agent without anything to do sleeps")
    func sleeps() throws {
        let agent = try TestAgent()
        let idle = try (0..<20).map { _ in try agent.raw() }
        #expect(try agent.serves())
        let thread = agent.stub.seen.thread
        func switches() throws -> [Substring] {
            let status = try String(contentsOfFile: "\(thread)/status", encoding: .utf8)
            return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
        }
        // Whoever waits for nothing is not scheduled for a whole second. What came before is done first, whenever a busy
        // machine gets round to it.
        var before = try switches()
        #expect(before.count == 2)
        var isAsleep = false
        for _ in 0..<60 where !isAsleep {
            usleep(1_000_000)
            let now = try switches()
            isAsleep = now == before
            before = now
        }
        #expect(isAsleep)
        withExtendedLifetime(idle) {}
        try agent.stop()
    }

    @Test("Many clients at once, with small and large requests mixed")
    func manyClients() async throws {
        let agent = try TestAgent()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<40 {
                        var connection = try agent.connect()
                        let size = round % 10 == number ? 1 << 22 : 100
                        let reply = try connection.exchange(.value(path: "/v", name: "bytes \(size)"))
                        guard case .value(_, .some(let list)) = reply else { throw POSIXError(.EPROTO) }
                        #expect(list.count == size)
                    }
                }
            }
            try await group.waitForAll()
        }
        try agent.stop()
    }
}

/// Bytes of well-formed requests.
enum AgentRequestMaker {
    static func hello() throws -> [UInt8] { try bytes(.hello(version: AgentProtocol.version)) }

    static func epoch() throws -> [UInt8] { try epoch(3) }

    static func epoch(_ length: Int) throws -> [UInt8] {
        try bytes(.epoch(path: String(repeating: "/", count: length)))
    }

    static func bytes(_ request: consuming AgentRequest) throws -> [UInt8] {
        let frame = try request.encode()
        return frame.bytes.array(0..<frame.count)
    }
}
