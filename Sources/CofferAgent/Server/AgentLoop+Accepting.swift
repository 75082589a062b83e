internal import CSystem
internal import Glibc

extension AgentLoop {
    private static let acceptedInARow = 64
    /// How long the loop leaves new connections alone that the system has no descriptor for, in nanoseconds.
    private static let acceptPause: Int64 = 1_000_000_000

    /// Takes the connections that wait, for as long as there is room; the longest idle one makes room.
    func accept() {
        for _ in 0..<Self.acceptedInARow {
            if connections.count >= limits.connections, !endLongestIdle() { return pauseAccepting() }
            let socket = cs_socket_accept(listener)
            guard socket >= 0 else {
                switch errno {
                case EAGAIN: return
                // It was gone before it was accepted.
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    if endLongestIdle() { continue }
                    return pauseAccepting()
                default: return pauseAccepting()
                }
            }
            // Who is not of this user gets nothing to read, not even a refusal.
            guard UnixSocket.isOfThisUser(socket) else {
                close(socket)
                continue
            }
            lastNumber += 1
            connections[lastNumber] = LoopConnection(socket, number: lastNumber, at: MonotonicTime.now)
        }
    }

    // A connection that waits to be accepted keeps the socket readable: polled, it would wake the loop without end.
    private func pauseAccepting() { acceptsAgain = MonotonicTime.now + Self.acceptPause }

    /// Ends the connection on which nothing has happened for the longest time, if one is idle.
    private func endLongestIdle() -> Bool {
        let idle = connections.values.filter { $0.isIdle && !$0.staysToTheEnd }
        guard let longest = idle.min(by: { $0.lastProgress < $1.lastProgress }) else { return false }
        end(longest)
        return true
    }
}
