internal import SecureMemory

/// The events that wait for one observer: at most 64, changes that follow each other told as one.
final class EventMailbox: Sendable {
    typealias Continuation = CheckedContinuation<VaultEvent?, Never>

    /// A call of `next()` that has not returned.
    enum Call {
        case waiting(Continuation)
        /// Cancelled before it could wait.
        case cancelled
    }

    struct State {
        var waiting: [VaultEvent] = []
        /// The calls by their numbers, the oldest first.
        var calls: [(number: Int, call: Call)] = []
        var lastCall = 0
        var isFinished = false
    }

    /// The most events that wait.
    static let capacity = 64

    private let state = PlainMutex(State())

    /// Adds an event without waking anybody, so that it can be done while a lock is held.
    func add(_ event: VaultEvent) {
        state.withLock { state in
            guard !state.isFinished else { return }
            if let last = state.waiting.last, let merged = last.merged(with: event) {
                state.waiting[state.waiting.count - 1] = merged
            } else if state.waiting.count < Self.capacity {
                state.waiting.append(event)
            } else {
                // What comes from here on is told again, so that an observer who looks at everything then is up to date.
                state.waiting = [.missed, event]
            }
        }
    }

    /// Hands waiting events to whoever waits for them.
    func deliver() {
        while let (reader, event) = state.withLock({ $0.nextDelivery() }) { reader.resume(returning: event) }
    }

    /// Ends the sequence after what waits.
    func finish() {
        state.withLock { $0.isFinished = true }
        deliver()
    }

    /// The next event; nil when the vault is gone or the task was cancelled.
    func next() async -> VaultEvent? {
        let call = state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
        // A cancellation may come after the answer.
        defer { state.withLock { _ = $0.take(call) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Continuation) in
                let answer = state.withLock { $0.answer(call, to: continuation) }
                if let answer { continuation.resume(returning: answer.event) }
            }
        } onCancel: {
            let reader = state.withLock { $0.cancel(call) }
            reader?.resume(returning: nil)
        }
    }
}

extension EventMailbox.State {
    /// What a call returns at once; nil when it has to wait.
    fileprivate mutating func answer(
        _ number: Int, to continuation: EventMailbox.Continuation
    ) -> (event: VaultEvent?, Void)? {
        if take(number) != nil { return (nil, ()) }
        if !waiting.isEmpty { return (waiting.removeFirst(), ()) }
        if isFinished { return (nil, ()) }
        calls.append((number, .waiting(continuation)))
        return nil
    }

    /// Ends a call that waits, or will.
    fileprivate mutating func cancel(_ number: Int) -> EventMailbox.Continuation? {
        if case .waiting(let continuation) = take(number) { return continuation }
        calls.append((number, .cancelled))
        return nil
    }

    fileprivate mutating func take(_ number: Int) -> EventMailbox.Call? {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return nil }
        return calls.remove(at: index).call
    }

    /// The call that waits longest, with what it returns; nil when there is nothing to return, or nobody waits.
    fileprivate mutating func nextDelivery() -> (EventMailbox.Continuation, VaultEvent?)? {
        guard !waiting.isEmpty || isFinished else { return nil }
        for (index, call) in calls.enumerated() {
            guard case .waiting(let continuation) = call.call else { continue }
            calls.remove(at: index)
            return (continuation, waiting.isEmpty ? nil : waiting.removeFirst())
        }
        return nil
    }
}
