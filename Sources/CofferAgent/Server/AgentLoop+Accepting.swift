extension AgentLoop {
    private static let acceptedInARow = 64
    /// How long the loop leaves new connections alone that the system has no descriptor for, in nanoseconds.
    private static let acceptPause: Int64 = 1_000_000_000

    /// Takes the connections that wait, for as long as there is room; the longest idle one makes room.
    func accept() {
        for _ in 0..<Self.acceptedInARow {
            if connections.count >= limits.connections, longestIdle == nil { return pauseAccepting() }
            switch AcceptedConnection(from: listener) {
            case .nobody: return
            case .passed: continue
            case .noDescriptor:
                guard let longestIdle else { return pauseAccepting() }
                end(longestIdle)
            case .failed: return pauseAccepting()
            case .connection(let socket):
                if connections.count >= limits.connections, let longestIdle { end(longestIdle) }
                lastNumber += 1
                connections[lastNumber] = LoopConnection(socket, number: lastNumber, at: MonotonicTime.now)
            }
        }
    }

    // A connection that waits to be accepted keeps the socket readable: polled, it would wake the loop without end.
    private func pauseAccepting() { acceptsAgain = MonotonicTime.now + Self.acceptPause }

    /// The connection on which nothing has happened for the longest time, if one is idle.
    private var longestIdle: LoopConnection? {
        connections.values.filter { $0.isIdle && !$0.staysToTheEnd }.min { $0.lastProgress < $1.lastProgress }
    }
}
