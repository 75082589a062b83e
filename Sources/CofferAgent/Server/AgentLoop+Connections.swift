// What happens on one connection.
extension AgentLoop {
    /// Does what a connection is ready for.
    func advance(_ connection: LoopConnection) {
        if connection.unsent > 0 { return send(on: connection) }
        if connection.isReading { return receive(on: connection) }
        // Nothing was asked for, so this is the end of the other side. What has begun goes on without it.
        end(connection)
    }

    /// Lets go of a connection, wherever it stands.
    func end(_ connection: LoopConnection) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        budget.discharge(&connection.charge)
        budget.end(reply: connection.replyFootprint)
        if connection.isWaiting { queues.forget(connection.number) }
        acceptsAgain = .min
    }

    // MARK: Requests

    private func receive(on connection: LoopConnection) {
        let state = connection.incoming.receive(from: connection.socket.number) { room in
            hasRoom(for: connection, room)
        }
        let now = MonotonicTime.now
        connection.lastProgress = now
        switch state {
        case .ended: end(connection)
        case .malformed: refuse(connection, .malformed)
        case .noRoom: refuse(connection, .busy)
        case .partial:
            if !connection.incoming.isEmpty, connection.deadline == .max {
                connection.deadline = MonotonicTime.deadline(after: limits.patience)
            }
        case .complete:
            connection.deadline = .max
            take(from: connection)
        }
    }

    private func take(from connection: LoopConnection) {
        do throws(AgentProtocolError) {
            let request = try connection.incoming.withBody { (body) throws(AgentProtocolError) in
                try AgentRequest.decode(body)
            }
            // What the request holds is a copy, no larger but for its steps, which now stands for the frame.
            let room = connection.incoming.room + request.stepsFootprint
            connection.incoming = IncomingFrame()
            if request.stepsFootprint > 0, !hasRoom(for: connection, room) { return refuse(connection, .busy) }
            if !request.holdsMemory { budget.discharge(&connection.charge) }
            begin(request, on: connection)
        } catch {
            connection.incoming = IncomingFrame()
            budget.discharge(&connection.charge)
            refuse(connection, error == .memory ? .busy : .malformed)
        }
    }

    private func begin(_ request: consuming AgentRequest, on connection: LoopConnection) {
        guard connection.isGreeted else {
            guard let version = request.greeting else { return refuse(connection, .malformed) }
            connection.isGreeted = true
            guard version == AgentProtocol.version else { return refuseVersion(of: connection) }
            return dispatch(request, on: connection)
        }
        guard !connection.isOfOtherVersion || request.isOfEveryVersion else {
            return refuse(connection, .version(AgentProtocol.version))
        }
        if queues.wait(connection.number, for: request.load, on: lane(of: request.readVault)) {
            connection.waiting = consume request
        } else {
            dispatch(request, on: connection)
        }
    }

    private func lane(of path: String?) -> ReadLane? {
        path.map { path in handler.knownPlace(of: path).map { .vault($0) } ?? .unseen(Array(path.utf8)) }
    }

    /// Hands over the requests that wait, as far as there is room for their answers.
    func dispatchWaiting() {
        while let number = queues.next(
            hasRoom: budget.hasRoomForReplies, place: { handler.knownPlace(of: String(decoding: $0, as: UTF8.self)) })
        {
            dispatchWaiting(number)
        }
    }

    private func dispatchWaiting(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        switch connection.takeWaiting() {
        case .some(let request): dispatch(request, on: connection)
        case .none: break
        }
    }

    private func dispatch(_ request: consuming AgentRequest, on connection: LoopConnection) {
        lastNumber += 1
        let (number, isStop) = (lastNumber, request.isStop)
        queues.begin(
            number,
            RequestQueues.Flight(
                connection: connection.number, load: request.load, vault: request.readVault,
                lane: lane(of: request.readVault), charge: connection.charge, locks: locksSeen))
        // The flight gives it back, which may last longer than the connection.
        connection.charge = 0
        connection.request = number
        if isStop { connection.staysToTheEnd = true }
        let ticket = ReplyTicket(mailbox, request: number)
        handler.handle(request) { reply in ticket.answer(reply) }
        if isStop { beginEnding() }
    }

    // MARK: Replies

    /// Takes an answer of the handler.
    func complete(_ answer: LoopMailbox.Answer) {
        guard var flight = queues.end(answer.request) else { return }
        budget.discharge(&flight.charge)
        guard let connection = connections[flight.connection] else { return }
        connection.request = nil
        guard let frame = answer.frame else { return end(connection) }
        connection.answered = flight
        reply(frame, on: connection)
    }

    /// Says why a connection ends, and ends it.
    private func refuse(_ connection: LoopConnection, _ failure: AgentFailure) {
        connection.endsAfterReply = true
        guard let frame = OutgoingFrame(.failure(failure)) else { return end(connection) }
        reply(frame, on: connection)
    }

    // Whoever speaks another version can lock everything all the same.
    private func refuseVersion(of connection: LoopConnection) {
        connection.isOfOtherVersion = true
        guard let frame = OutgoingFrame(.failure(.version(AgentProtocol.version))) else { return end(connection) }
        reply(frame, on: connection)
    }

    func reply(_ frame: OutgoingFrame, on connection: LoopConnection) {
        connection.begin(frame)
        budget.begin(reply: frame.footprint)
        connection.deadline = MonotonicTime.deadline(after: limits.patience)
        connection.lastProgress = MonotonicTime.now
        send(on: connection)
    }

    private func send(on connection: LoopConnection) {
        let before = connection.replyFootprint
        let sent = connection.send()
        // All of it at the end, since its memory is let go of as one.
        budget.end(reply: before - connection.replyFootprint)
        switch sent {
        case .ended: end(connection)
        case .nothing: break
        case .some: connection.lastProgress = MonotonicTime.now
        case .all:
            connection.lastProgress = MonotonicTime.now
            connection.deadline = .max
            if connection.endsAfterReply || (isEnding && !connection.staysToTheEnd) { end(connection) }
        }
    }
}
