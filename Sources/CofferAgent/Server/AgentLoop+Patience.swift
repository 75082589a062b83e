internal import Coffer

// Who is too slow, and who has to make room.
extension AgentLoop {
    /// Whether a connection's frame may take so much memory. Who stands still in the middle of a large one makes room.
    func hasRoom(for connection: LoopConnection, _ room: Int) -> Bool {
        while !budget.reserve(room, charge: &connection.charge) {
            guard endStandstill(besides: connection, where: { !budget.isSmall($0.incoming.room) }) else { return false }
        }
        return true
    }

    /// Ends the connections whose time is over.
    func enforcePatience(at now: Int64) {
        for connection in connections.values where connection.deadline <= now { end(connection) }
        while isShortOfReplies, endStandstill(where: { $0.unsent > 0 }) {}
    }

    /// Whether reads or reports wait for others to read their replies.
    private var isShortOfReplies: Bool { queues.waitsForRoom && !budget.hasRoomForReplies }

    /// When the next connection may have to make room, if somebody waits for that.
    var nextShortDeadline: Int64? {
        guard isShortOfReplies else { return nil }
        let oldest = connections.values.filter { $0.unsent > 0 }.map(\.lastProgress).min()
        return oldest.map { $0 + limits.shortPatience.nanoseconds }
    }

    /// Ends the connection that has stood still for the longest time, if that is long.
    private func endStandstill(
        besides other: LoopConnection? = nil, where applies: (LoopConnection) -> Bool
    ) -> Bool {
        let latest = MonotonicTime.now - limits.shortPatience.nanoseconds
        let candidates = connections.values.filter { $0 !== other && $0.lastProgress <= latest && applies($0) }
        guard let oldest = candidates.min(by: { $0.lastProgress < $1.lastProgress }) else { return false }
        end(oldest)
        return true
    }
}
