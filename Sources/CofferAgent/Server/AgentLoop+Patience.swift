internal import SecureMemory

// Who is too slow, and who has to make room.
extension AgentLoop {
    /// Whether a connection's frame may take so much memory. Who stands still in the middle of a large one makes room.
    func hasRoom(for connection: LoopConnection, _ room: Int) -> Bool {
        let charge = GuardedBuffer.footprint(of: room)
        if room > limits.smallFrame {
            while incomingBytes - connection.charge + charge > limits.incomingBytes {
                guard endStandstill(besides: connection, where: { $0.incoming.room > limits.smallFrame }) else {
                    return false
                }
            }
        }
        incomingBytes += charge - connection.charge
        connection.charge = charge
        return true
    }

    /// Gives back what a frame took.
    func discharge(_ connection: LoopConnection) {
        incomingBytes -= connection.charge
        connection.charge = 0
    }

    /// Ends the connections whose time is over.
    func enforcePatience(at now: Int64) {
        for connection in connections.values where connection.deadline <= now { end(connection) }
        while isShortOfReplies, endStandstill(where: { $0.unsent > 0 }) {}
    }

    /// Whether reads or reports wait for others to read their replies.
    private var isShortOfReplies: Bool {
        !(waitingReads.isEmpty && waitingReports.isEmpty) && outgoingBytes >= limits.outgoingBytes
    }

    /// When the next connection may have to make room, if somebody waits for that.
    var nextShortDeadline: Int64? {
        guard isShortOfReplies else { return nil }
        let oldest = connections.values.filter { $0.unsent > 0 }.map(\.lastProgress).min()
        return oldest.map { $0 + limits.shortPatience.agentNanoseconds }
    }

    /// Ends the connection that has stood still for the longest time, if that is long.
    private func endStandstill(
        besides other: LoopConnection? = nil, where applies: (LoopConnection) -> Bool
    ) -> Bool {
        let latest = MonotonicTime.now - limits.shortPatience.agentNanoseconds
        let candidates = connections.values.filter { $0 !== other && $0.lastProgress <= latest && applies($0) }
        guard let oldest = candidates.min(by: { $0.lastProgress < $1.lastProgress }) else { return false }
        end(oldest)
        return true
    }
}
