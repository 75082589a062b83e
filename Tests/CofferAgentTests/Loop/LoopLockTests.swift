import CofferAgent
import Foundation
import Testing

/// What of a vault is in the loop's hands when it is locked.
@Suite("Locks in the loop")
struct LoopLockTests {
    @Test("What was read before a lock is not sent after it, and what was read of another vault is")
    func readBeforeLock() throws {
        let agent = try TestAgent()
        agent.stub.keepOpen("/other")
        let clients = try ["/v", "/other"].map { path in
            let client = try agent.raw()
            try client.greet()
            try client.send(.value(path: path, name: "held 100"))
            return client
        }
        #expect(try agent.serves())
        var locker = try agent.connect()
        _ = try locker.exchange(.lock(path: "/v"))
        agent.stub.release()
        #expect(clients[0].reply() == "failure vault(the vault is locked: unlock it)")
        #expect(clients[1].reply()?.hasPrefix("value 1 100 ") == true)
        try agent.stop()
    }

    @Test("A lock takes back the unread reply of its vault, and of no other")
    func unreadReplies() throws {
        let agent = try TestAgent()
        agent.stub.keepOpen("/other")
        let clients = try ["/v", "/other"].map { path in
            let client = try agent.raw()
            try client.greet()
            try client.send(.value(path: path, name: "bytes \(1 << 24)"))
            #expect(client.waitForBytes())
            return client
        }
        var locker = try agent.connect()
        _ = try locker.exchange(.lock(path: "/v"))
        #expect(clients[0].isHungUp(within: 5))
        #expect(clients[1].reply()?.hasPrefix("value 1 \(1 << 24) ") == true)
        try agent.stop()
    }

    @Test("An unlock that waits is refused by a lock that came after it was begun")
    func staleUnlock() throws {
        let agent = try TestAgent()
        let (reader, unlocker) = (try agent.raw(), try agent.raw())
        for client in [reader, unlocker] { try client.greet() }
        try reader.send(.value(path: "/v", name: "never"))
        #expect(try agent.serves())
        let unlock = AgentUnlock(
            path: "/v", epoch: 0, key: try guardedBytes(Array(1...32)), idle: nil, maximumAge: nil)
        try unlocker.send(.unlock(unlock))
        #expect(try agent.serves())
        var locker = try agent.connect()
        _ = try locker.exchange(.lock(path: "/v"))
        #expect(unlocker.reply(within: 5) == "failure staleEpoch")
        agent.stub.release()
        #expect(reader.reply() == "done")
        try agent.stop()
    }
}
