import CofferAgent
import Foundation
import SecureMemory
import Testing
import VaultFile

@Suite("Clients that misbehave")
struct HostileClientTests {
    @Test("Garbage ends its connection, and the others are served")
    func garbage() throws {
        let agent = try TestAgent()
        var generator = SystemRandomNumberGenerator()
        for round in 0..<60 {
            let client = try agent.raw()
            if round % 2 == 0 { try client.greet() }
            let body = (0..<Int.random(in: 1...80)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // A verb that there is not.
            client.send(UInt32(body.count + 1).littleEndianBytes + [200] + body)
            #expect(client.reply() == "failure malformed")
            #expect(client.isEnded())
        }
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test(
        "A length that no frame has ends the connection", arguments: [0, UInt32(AgentProtocol.maximumFrame) + 1, .max])
    func lengths(length: UInt32) throws {
        let agent = try TestAgent()
        let client = try agent.raw()
        try client.greet()
        client.send(length.littleEndianBytes + [1, 2, 3])
        #expect(client.reply() == "failure malformed")
        #expect(client.isEnded())
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("The first request is the greeting, in this version")
    func greeting() throws {
        let agent = try TestAgent()
        let rude = try agent.raw()
        try rude.send(.status)
        #expect(rude.reply() == "failure malformed")
        #expect(rude.isEnded())
        let old = try agent.raw()
        try old.send(.hello(version: 77))
        #expect(old.reply() == "failure version(1)")
        try old.send(.status)
        #expect(old.reply() == "failure version(1)")
        #expect(old.isEnded())
        try agent.stop()
    }

    @Test("Many steps in a small frame count as what they take")
    func manySteps() throws {
        var limits = AgentLimits()
        limits.incomingBytes = 1 << 17
        limits.changesInFlight = 0
        limits.farewell = .milliseconds(100)
        let agent = try TestAgent(limits: limits)
        func ask(_ count: Int) throws -> RawClient {
            let client = try agent.raw()
            try client.greet()
            let steps = [AgentStep](repeating: .undo(name: "a"), count: count)
            try client.send(.change(AgentChange(path: "/v", expected: nil, steps: steps, values: try GuardedArena())))
            return client
        }
        // Of 128 bytes each.
        let (few, many) = (try ask(100), try ask(2_000))
        #expect(many.reply() == "failure busy")
        #expect(few.reply(within: 0.2) == nil)
        #expect(!few.isHungUp(within: 0))
        try agent.stop()
    }

    @Test("A length counts for nothing until the bytes come")
    func announced() throws {
        var limits = AgentLimits()
        limits.incomingBytes = 1 << 20
        let agent = try TestAgent(limits: limits)
        let clients = try (0..<100).map { _ in try agent.raw() }
        for client in clients {
            try client.greet()
            client.send(UInt32(AgentProtocol.maximumFrame).littleEndianBytes + [UInt8](repeating: 9, count: 2_000))
        }
        #expect(try agent.serves())
        for client in clients { #expect(!client.isEnded(within: 0)) }
        try agent.stop()
    }

    @Test("Half a frame is waited for, but not for ever")
    func halfFrames() throws {
        var limits = AgentLimits()
        limits.patience = .milliseconds(300)
        let agent = try TestAgent(limits: limits)
        let begun = try agent.raw()
        try begun.greet()
        let idle = try agent.raw()
        let whole = try AgentRequestMaker.epoch(9)
        let (first, rest) = (Array(whole.prefix(7)), Array(whole.dropFirst(7)))
        begun.send(first)
        #expect(!begun.isEnded(within: 0.1))
        begun.send(rest)
        #expect(begun.reply() == "epoch 9")
        begun.send([5])
        #expect(begun.isEnded(within: 5))
        // Who has begun nothing may wait.
        #expect(!idle.isEnded(within: 0.1))
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("A reply that nobody reads is kept for a while, and keeps nobody waiting")
    func unreadReplies() throws {
        var limits = AgentLimits()
        limits.patience = .milliseconds(500)
        let agent = try TestAgent(limits: limits)
        let lazy = try (0..<3).map { _ in try agent.raw() }
        for client in lazy {
            try client.greet()
            try client.send(.value(path: "/v", name: "bytes \(1 << 23)"))
        }
        for client in lazy { #expect(client.waitForBytes()) }
        #expect(try agent.serves())
        for client in lazy {
            #expect(client.isHungUp())
            #expect(client.reply() == nil)
        }
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("Who stands still with unread replies makes room for who wants to read")
    func roomForReplies() throws {
        var limits = AgentLimits()
        limits.outgoingBytes = 1 << 20
        limits.shortPatience = .milliseconds(200)
        let agent = try TestAgent(limits: limits)
        let lazy = try agent.raw()
        try lazy.greet()
        try lazy.send(.value(path: "/v", name: "bytes \(1 << 22)"))
        #expect(lazy.waitForBytes())
        var connection = try agent.connect()
        let reply = try connection.exchange(.value(path: "/v", name: "bytes 10"), timeout: .seconds(10))
        #expect(SampleReplies.summary(reply).hasPrefix("value 1"))
        #expect(lazy.reply() == nil)
        try agent.stop()
    }

    @Test("Large frames have a budget; small ones always have room, and who stands still makes some")
    func budget() throws {
        var limits = AgentLimits()
        limits.incomingBytes = 1 << 20
        limits.shortPatience = .milliseconds(400)
        let agent = try TestAgent(limits: limits)
        let large = UInt32(1 << 22).littleEndianBytes + [UInt8](repeating: 8, count: 600_000)
        let first = try agent.raw()
        try first.greet()
        first.send(large)
        usleep(50_000)
        let second = try agent.raw()
        try second.greet()
        second.send(large)
        #expect(second.reply() == "failure busy")
        #expect(second.isEnded())
        #expect(try agent.serves())
        #expect(!first.isEnded(within: 0))
        usleep(500_000)
        let third = try agent.raw()
        try third.greet()
        third.send(large)
        #expect(!third.isEnded(within: 0.2))
        #expect(first.isEnded())
        try agent.stop()
    }

    @Test("A client that goes in the middle of anything takes nothing with it")
    func gone() throws {
        let agent = try TestAgent()
        let request = try AgentRequestMaker.bytes(.value(path: "/v", name: "bytes \(1 << 22)"))
        let held = try AgentRequestMaker.bytes(.value(path: "/v", name: "never"))
        for length in [0, 2, 4, 9, request.count] {
            let client = try agent.raw()
            try client.greet()
            client.send(Array(request.prefix(length)))
            client.close()
        }
        let waiting = try agent.raw()
        try waiting.greet()
        waiting.send(held)
        usleep(50_000)
        waiting.close()
        #expect(try agent.serves())
        agent.stub.release()
        #expect(try agent.serves())
        try agent.stop()
    }

    @Test("A thousand idle connections change nothing for the others")
    func thousandIdle() throws {
        var limit = rlimit()
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        unsafe getrlimit(descriptors, &limit)
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        unsafe setrlimit(descriptors, &limit)
        let agent = try TestAgent()
        let idle = try (0..<1_000).map { _ in try agent.raw() }
        for _ in 0..<20 { #expect(try agent.serves()) }
        #expect(idle.allSatisfy { !$0.isEnded(within: 0) })
        try agent.stop()
        #expect(idle.allSatisfy { $0.isEnded() })
    }

    @Test("Where no more connections fit, the longest idle one goes")
    func connectionLimit() throws {
        var limits = AgentLimits()
        limits.connections = 10
        let agent = try TestAgent(limits: limits)
        let clients = try (0..<10).map { _ in
            let client = try agent.raw()
            try client.greet()
            return client
        }
        // The first has something to do now.
        try clients[0].send(.value(path: "/v", name: "never"))
        usleep(50_000)
        #expect(try agent.serves())
        #expect(clients[1].isEnded())
        #expect(clients[2...].allSatisfy { !$0.isEnded(within: 0) })
        agent.stub.release()
        #expect(clients[0].reply() == "done")
        try agent.stop()
    }
}
