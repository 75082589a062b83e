import CofferAgent
import Foundation
import Testing
import VaultFile

@Suite("Memory of replies that nobody reads")
struct ReportTests {
    @Test("Reports that nobody reads take no more than their share, and are held back")
    func unreadReports() throws {
        var limits = AgentLimits()
        limits.outgoingBytes = 1 << 20
        limits.shortPatience = .seconds(20)
        let agent = try TestAgent(limits: limits)
        agent.stub.holdLongPaths()
        let lazy = try (0..<40).map { _ in try agent.raw() }
        // The system takes the first answer, and the agent has to keep another.
        for client in lazy {
            try client.greet()
            try client.send(.status)
            #expect(client.waitForBytes())
        }
        for client in lazy { try client.send(.status) }
        // Of 136 KiB each, eight fill the share, and a few more have begun before they count.
        for _ in 0..<60 { #expect(try agent.serves()) }
        #expect(agent.stub.seen.reports >= lazy.count + 8)
        #expect(agent.stub.seen.reports <= lazy.count + 8 + limits.reportsInFlight)
        // Locks pass all the same.
        var connection = try agent.connect()
        let done = try connection.exchange(.lock(path: nil), timeout: .seconds(10))
        #expect(SampleReplies.summary(done) == "done")
        // Who waits gets its own when the others go.
        for client in lazy.dropLast() { client.close() }
        for _ in 0..<2 { #expect(lazy.last?.reply()?.hasPrefix("status") == true) }
        try agent.stop()
    }

    @Test("Who stands still with an unread report makes room for who asks for one")
    func roomForReports() throws {
        var limits = AgentLimits()
        limits.outgoingBytes = 1 << 16
        limits.shortPatience = .milliseconds(200)
        let agent = try TestAgent(limits: limits)
        agent.stub.holdLongPaths()
        let lazy = try agent.raw()
        try lazy.greet()
        for _ in 0..<3 { try lazy.send(.status) }
        #expect(lazy.waitForBytes())
        #expect(try agent.serves())
        var connection = try agent.connect()
        let reply = try connection.exchange(.status, timeout: .seconds(10))
        #expect(SampleReplies.summary(reply).hasPrefix("status"))
        #expect(lazy.isHungUp(within: 5))
        try agent.stop()
    }

    @Test("Reads that hang on a dead drive hold back no report")
    func reportDuringReads() throws {
        var limits = AgentLimits()
        limits.readsInFlight = 1
        let agent = try TestAgent(limits: limits)
        let (hanging, waiting) = (try agent.raw(), try agent.raw())
        for (client, name) in [(hanging, "never"), (waiting, "none")] {
            try client.greet()
            try client.send(.value(path: "/v", name: name))
            #expect(try agent.serves())
        }
        var connection = try agent.connect()
        let reply = try connection.exchange(.status, timeout: .seconds(5))
        #expect(SampleReplies.summary(reply).hasPrefix("status"))
        agent.stub.release()
        #expect(waiting.reply() == "value 1")
        try agent.stop()
    }

    @Test("A reply counts in full until its last byte has gone")
    func partlyRead() throws {
        var limits = AgentLimits()
        limits.outgoingBytes = 1 << 20
        let agent = try TestAgent(limits: limits)
        let slow = try agent.raw()
        try slow.greet()
        try slow.send(.value(path: "/v", name: "bytes \(1 << 22)"))
        #expect(slow.waitForBytes())
        // All but what the system itself holds, and half of what the share is.
        #expect(slow.skip((1 << 22) - (1 << 19)))
        let other = try agent.raw()
        try other.greet()
        try other.send(.value(path: "/v", name: "none"))
        #expect(try agent.serves())
        #expect(other.reply(within: 0.3) == nil)
        #expect(slow.skip(1 << 19))
        #expect(other.reply() == "value 1")
        try agent.stop()
    }
}
