internal import Coffer

// What a lock takes out of the loop's hands.
extension AgentLoop {
    /// How long the loop waits at most while it holds something that a vault's own lock must reach.
    static let lockNoticing: Int64 = 1_000_000_000

    /// Whether the loop or the handler may hold values or keys.
    var holdsSecrets: Bool {
        !queues.isHandlerIdle || !queues.waitingForVaults.isEmpty
            || connections.values.contains { $0.holdsContents }
    }

    /// Lets go of what a lock since the last call is to leave nothing of, before anybody is told of the lock.
    ///
    /// - Parameter answers: what the handler has answered and nobody was sent yet.
    func noticeLocks(_ answers: inout [LoopMailbox.Answer]) {
        let (count, epoch) = handler.noticeLocks()
        if count != locksSeen {
            locksSeen = count
            // A reply that has begun to go out has no other end than its connection's.
            for connection in connections.values where connection.holdsContents && !mayGo(connection.answered) {
                end(connection)
            }
            dropWaiting(epoch)
        }
        // A read may have begun before a lock and end behind it.
        for index in answers.indices where answers[index].frame?.holdsContents ?? false {
            guard let flight = queues[answers[index].request], !mayGo(flight) else { continue }
            // A lock of the vault, if it is not unlocked anew by now; otherwise the client may ask again.
            let isHeld = flight.vault.map(handler.isHeld) ?? true
            answers[index].frame = OutgoingFrame(.failure(isHeld ? .busy : .vault(.locked)))
        }
    }

    /// Whether no lock has reached the vault since it was read.
    private func mayGo(_ flight: RequestQueues.Flight?) -> Bool {
        guard let flight else { return false }
        if flight.locks == locksSeen { return true }
        return flight.vault.map { handler.isHeld($0, since: flight.locks) } ?? false
    }

    // Rather too many refused than one too few: an unlock names the latest lock of all, or begins anew.
    private func dropWaiting(_ epoch: UInt64) {
        for number in queues.waitingForVaults {
            guard let connection = connections[number] else { continue }
            if let named = connection.waitingUnlock, named < epoch {
                drop(connection, .staleEpoch)
            } else if let path = connection.waitingChange, !handler.isHeld(path) {
                drop(connection, .vault(.locked))
            }
        }
    }

    private func drop(_ connection: LoopConnection, _ failure: AgentFailure) {
        _ = connection.takeWaiting()
        queues.forget(connection.number)
        budget.discharge(&connection.charge)
        guard let frame = OutgoingFrame(.failure(failure)) else { return end(connection) }
        reply(frame, on: connection)
    }
}
