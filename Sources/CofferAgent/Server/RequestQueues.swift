/// The requests that wait for their turn, and those that the handler has: how many of each kind, and which is next.
///
/// It knows numbers alone: of connections that wait, and of requests that have begun.
package struct RequestQueues: Sendable {
    /// A request with the handler. It stands here until the answer, even if the client is gone.
    package struct Flight: Equatable, Sendable {
        /// The connection that waits for the answer.
        package let connection: UInt64
        /// What the request costs.
        package let load: AgentLoad
        /// The vault that it reads, as it is spelled.
        package let vault: String?
        /// What it may hang on.
        package let lane: ReadLane?
        /// What it takes of the memory for frames that come in.
        package var charge: Int
        /// The count of locks when it began.
        package let locks: UInt64

        /// Takes what is known of a request when it begins.
        package init(
            connection: UInt64, load: AgentLoad, vault: String? = nil, lane: ReadLane? = nil, charge: Int, locks: UInt64
        ) {
            self.connection = connection
            self.load = load
            self.vault = vault
            self.lane = lane
            self.charge = charge
            self.locks = locks
        }
    }

    private struct Waiting {
        let connection: UInt64
        var lane: ReadLane?
    }

    private struct Line {
        /// The connections whose requests wait, the first to come first.
        var waiting: [Waiting] = []
        var inFlight = 0
        let mostInFlight: Int
        /// Whether the answers may be large, so that they wait for room.
        let needsRoom: Bool
    }

    private var reports: Line
    private var reads: Line
    private var changes: Line
    private var flights: [UInt64: Flight] = [:]
    /// What is being read, and how often: a path may become known while it is.
    private var lanesInFlight: [ReadLane: Int] = [:]
    private var unseenInFlight = 0
    private let mostUnseen: Int

    /// Takes the limits; nothing waits yet.
    package init(_ limits: AgentLimits) {
        // Few at a time: their replies are not counted before the loop has taken them.
        reports = Line(mostInFlight: limits.reportsInFlight, needsRoom: true)
        reads = Line(mostInFlight: limits.readsInFlight, needsRoom: true)
        mostUnseen = limits.unseenReadsInFlight
        changes = Line(mostInFlight: limits.changesInFlight, needsRoom: false)
    }

    private static let lines = [\Self.reports, \Self.reads, \Self.changes]

    private static func line(_ load: AgentLoad) -> WritableKeyPath<RequestQueues, Line>? {
        switch load {
        case .none: nil
        case .report: \.reports
        case .read: \.reads
        case .change: \.changes
        }
    }

    // MARK: Waiting

    /// Has a connection's request wait.
    ///
    /// - Parameters:
    ///   - connection: whose request it is.
    ///   - load: what it costs.
    ///   - lane: what it may hang on.
    /// - Returns: false if such requests wait for nothing.
    package mutating func wait(_ connection: UInt64, for load: AgentLoad, on lane: ReadLane? = nil) -> Bool {
        guard let line = Self.line(load) else { return false }
        self[keyPath: line].waiting.append(Waiting(connection: connection, lane: lane))
        return true
    }

    /// Has a connection's request wait no longer.
    package mutating func forget(_ connection: UInt64) {
        for line in Self.lines { self[keyPath: line].waiting.removeAll { $0.connection == connection } }
    }

    /// Takes the connection out whose request is to begin next.
    ///
    /// - Parameters:
    ///   - hasRoom: whether there is room for answers that may be large.
    ///   - place: where a path leads to that was not seen when its request came, if it was seen since.
    /// - Returns: nil if none may begin at this time.
    package mutating func next(hasRoom: Bool, place: (_ path: [UInt8]) -> [UInt8]? = { _ in nil }) -> UInt64? {
        changeLanes(place)
        for line in Self.lines {
            let found = self[keyPath: line]
            guard found.inFlight < found.mostInFlight, hasRoom || !found.needsRoom,
                let index = found.waiting.firstIndex(where: { !isBusy($0.lane) })
            else { continue }
            return self[keyPath: line].waiting.remove(at: index).connection
        }
        return nil
    }

    // Whoever waits by a path that is known by now waits for its vault, with those who named it otherwise.
    private mutating func changeLanes(_ place: ([UInt8]) -> [UInt8]?) {
        var asked: [[UInt8]: [UInt8]?] = [:]
        for index in reads.waiting.indices {
            guard case .unseen(let path)? = reads.waiting[index].lane else { continue }
            let found = asked[path] ?? place(path)
            asked[path] = .some(found)
            if let found { reads.waiting[index].lane = .vault(found) }
        }
    }

    private func isBusy(_ lane: ReadLane?) -> Bool {
        guard let lane else { return false }
        return lanesInFlight[lane] != nil || lane.isUnseen && unseenInFlight >= mostUnseen
    }

    /// Whether some request waits whose answer needs room.
    package var waitsForRoom: Bool { !(reports.waiting.isEmpty && reads.waiting.isEmpty) }

    /// The connections whose requests are about a vault's contents, or bring keys or values.
    package var waitingForVaults: [UInt64] { (reads.waiting + changes.waiting).map(\.connection) }

    // MARK: With the handler

    /// Counts a request that the handler is given.
    package mutating func begin(_ request: UInt64, _ flight: Flight) {
        if let line = Self.line(flight.load) { self[keyPath: line].inFlight += 1 }
        if let lane = flight.lane { count(lane, 1) }
        flights[request] = flight
    }

    /// Counts a request no longer, which is answered or dropped.
    ///
    /// - Returns: what was known of it; nil if it is none that has begun.
    package mutating func end(_ request: UInt64) -> Flight? {
        guard let flight = flights.removeValue(forKey: request) else { return nil }
        if let line = Self.line(flight.load) { self[keyPath: line].inFlight -= 1 }
        if let lane = flight.lane { count(lane, -1) }
        return flight
    }

    private mutating func count(_ lane: ReadLane, _ difference: Int) {
        let sum = (lanesInFlight[lane] ?? 0) + difference
        lanesInFlight[lane] = sum > 0 ? sum : nil
        if lane.isUnseen { unseenInFlight += difference }
    }

    /// What is known of a request that has begun.
    package subscript(_ request: UInt64) -> Flight? { flights[request] }

    /// Whether the handler has everything answered.
    package var isHandlerIdle: Bool { flights.isEmpty }
}
