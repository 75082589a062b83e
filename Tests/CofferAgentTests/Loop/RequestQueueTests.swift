import CofferAgent
import Testing

@Suite("Queues of requests")
struct RequestQueueTests {
    private static func queues(reports: Int = 1, reads: Int = 2, changes: Int = 1) -> RequestQueues {
        var limits = AgentLimits()
        limits.reportsInFlight = reports
        limits.readsInFlight = reads
        limits.changesInFlight = changes
        return RequestQueues(limits)
    }

    private static func flight(_ load: AgentLoad, of connection: UInt64 = 0) -> RequestQueues.Flight {
        RequestQueues.Flight(connection: connection, load: load, charge: 0, locks: 0)
    }

    /// Begins all that may.
    private static func begin(_ queues: inout RequestQueues, _ load: AgentLoad, hasRoom: Bool = true) -> [UInt64] {
        var begun: [UInt64] = []
        while let connection = queues.next(hasRoom: hasRoom) {
            queues.begin(100 + connection, flight(load, of: connection))
            begun.append(connection)
        }
        return begun
    }

    @Test("What costs nothing never waits")
    func immediate() {
        var queues = Self.queues()
        let waits = queues.wait(1, for: .none)
        #expect(!waits)
        let next = queues.next(hasRoom: true)
        #expect(next == nil)
        // Nor does it take the place of others.
        queues.begin(7, Self.flight(.none))
        #expect(!queues.isHandlerIdle)
        let ended = queues.end(7)
        #expect(ended == Self.flight(.none))
        #expect(queues.isHandlerIdle)
    }

    @Test(
        "Each kind begins in its order, as many at once as are allowed", arguments: [AgentLoad.report, .read, .change])
    func order(load: AgentLoad) {
        var queues = Self.queues(reports: 2, reads: 2, changes: 2)
        for connection in UInt64(1)...4 {
            let waits = queues.wait(connection, for: load)
            #expect(waits)
        }
        #expect(Self.begin(&queues, load) == [1, 2])
        let ended = queues.end(101)
        #expect(ended?.connection == 1)
        #expect(Self.begin(&queues, load) == [3])
        // What has ended once frees no second place.
        let again = queues.end(101)
        #expect(again == nil)
        #expect(Self.begin(&queues, load) == [])
    }

    @Test("One kind takes no place of another")
    func kinds() {
        var queues = Self.queues()
        for (connection, load) in [(UInt64(1), AgentLoad.read), (2, .read), (3, .read)] {
            _ = queues.wait(connection, for: load)
        }
        #expect(Self.begin(&queues, .read) == [1, 2])
        _ = queues.wait(4, for: .change)
        _ = queues.wait(5, for: .report)
        let first = queues.next(hasRoom: true)
        let second = queues.next(hasRoom: true)
        #expect([first, second] == [5, 4])
    }

    @Test("One read of a vault at a time begins, and those of other vaults pass it")
    func onePerVault() {
        var queues = Self.queues(reads: 2)
        for (connection, vault) in [(UInt64(1), "/a"), (2, "/a"), (3, "/b"), (4, "/a"), (5, "/c")] {
            _ = queues.wait(connection, for: .read, on: .vault(Array(vault.utf8)))
        }
        func begin() -> UInt64? {
            guard let connection = queues.next(hasRoom: true) else { return nil }
            let vault = [3: "/b", 5: "/c"][connection] ?? "/a"
            queues.begin(
                100 + connection,
                RequestQueues.Flight(
                    connection: connection, load: .read, lane: .vault(Array(vault.utf8)), charge: 0, locks: 0))
            return connection
        }
        #expect([begin(), begin(), begin()] == [1, 3, nil])
        _ = queues.end(103)
        // The first of them hangs.
        #expect([begin(), begin()] == [5, nil])
        _ = queues.end(101)
        #expect([begin(), begin()] == [2, nil])
    }

    @Test("Paths that were never seen leave places to vaults that are known")
    func unseen() {
        var limits = AgentLimits()
        limits.readsInFlight = 3
        limits.unseenReadsInFlight = 2
        var queues = RequestQueues(limits)
        let lanes: [ReadLane] = [.unseen([1]), .unseen([2]), .unseen([3]), .vault([3])]
        for (index, lane) in lanes.enumerated() { _ = queues.wait(UInt64(index), for: .read, on: lane) }
        func begin() -> UInt64? {
            guard let connection = queues.next(hasRoom: true) else { return nil }
            let lane = lanes[Int(connection)]
            queues.begin(
                100 + connection,
                RequestQueues.Flight(connection: connection, load: .read, lane: lane, charge: 0, locks: 0))
            return connection
        }
        #expect([begin(), begin(), begin(), begin()] == [0, 1, 3, nil])
        _ = queues.end(103)
        #expect(begin() == nil)
        _ = queues.end(101)
        #expect(begin() == 2)
    }

    @Test("Who waits by a path that has become known waits for its vault, whatever drives hang")
    func becomesKnown() {
        var queues = Self.queues(reads: 4)
        for connection in UInt64(0)...2 { _ = queues.wait(connection, for: .read, on: .unseen([1])) }
        var isKnown = false
        func begin() -> UInt64? {
            let place: ([UInt8]) -> [UInt8]? = { path in isKnown && path == [1] ? [9] : nil }
            guard let connection = queues.next(hasRoom: true, place: place) else { return nil }
            let lane: ReadLane = isKnown ? .vault([9]) : .unseen([1])
            queues.begin(
                100 + connection,
                RequestQueues.Flight(connection: connection, load: .read, lane: lane, charge: 0, locks: 0))
            return connection
        }
        #expect([begin(), begin()] == [0, nil])
        isKnown = true
        _ = queues.end(100)
        // One of them, not all that waited by the path.
        #expect([begin(), begin()] == [1, nil])
        _ = queues.end(101)
        #expect([begin(), begin()] == [2, nil])
    }

    @Test("Without room for replies, only changes begin")
    func noRoom() {
        var queues = Self.queues()
        _ = queues.wait(1, for: .report)
        #expect(queues.waitsForRoom)
        queues.forget(1)
        #expect(!queues.waitsForRoom)
        _ = queues.wait(2, for: .change)
        #expect(!queues.waitsForRoom)
        _ = queues.wait(3, for: .read)
        #expect(queues.waitsForRoom)
        #expect(Self.begin(&queues, .change, hasRoom: false) == [2])
        #expect(Self.begin(&queues, .read) == [3])
        #expect(!queues.waitsForRoom)
    }

    @Test("A lock is told of what waits for vaults, and whoever is forgotten begins nothing")
    func locks() {
        var queues = Self.queues()
        for (connection, load) in [(UInt64(1), AgentLoad.change), (2, .read), (3, .report), (4, .read)] {
            _ = queues.wait(connection, for: load)
        }
        #expect(Set(queues.waitingForVaults) == [1, 2, 4])
        queues.forget(2)
        queues.forget(1)
        #expect(queues.waitingForVaults == [4])
        var begun: [UInt64?] = []
        for _ in 0..<3 { begun.append(queues.next(hasRoom: true)) }
        #expect(begun == [3, 4, nil])
    }

    @Test("A request that has begun is known by its number until it ends")
    func flights() {
        var queues = Self.queues()
        let flight = RequestQueues.Flight(connection: 3, load: .read, charge: 8_192, locks: 5)
        queues.begin(9, flight)
        #expect(queues[9] == flight)
        #expect(queues[3] == nil)
        let ended = queues.end(9)
        #expect(ended == flight)
        #expect(queues[9] == nil)
    }
}
