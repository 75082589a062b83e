internal import SecureMemory

/// Makes few calls of many: one at once, and one more at the end of each interval in which there was any.
final class Coalescer: Sendable {
    private struct State {
        var last: Int64?
        var isWaiting = false
        var isCancelled = false
        var wakeUp: (any WakeUp)?
    }

    private enum Step {
        case nothing
        case call
        case wait(until: Int64)
    }

    private let clock: any VaultClock
    private let interval: Int64
    private let body: @Sendable () -> Void
    private let state = PlainMutex(State())

    /// Makes a coalescer.
    ///
    /// - Parameters:
    ///   - interval: the shortest time from one call to the next, in nanoseconds.
    ///   - body: what is called, with no lock held.
    init(clock: any VaultClock, interval: Int64, _ body: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.interval = interval
        self.body = body
    }

    deinit { cancel() }

    /// Calls the body now, or at the end of the interval.
    func signal() {
        let now = clock.now
        let step = state.withLock { state -> Step in
            if state.isWaiting || state.isCancelled { return .nothing }
            if let last = state.last, now < last &+ interval {
                state.isWaiting = true
                return .wait(until: last &+ interval)
            }
            state.last = now
            return .call
        }
        switch step {
        case .nothing: break
        case .call: body()
        case .wait(let end): wait(until: end)
        }
    }

    // Without the lock held: a deadline that has passed may call back at once.
    private func wait(until end: Int64) {
        guard let wakeUp = try? clock.wakeUp(at: end, { [weak self] in self?.expire() }) else {
            // Rather too early than never.
            return expire()
        }
        let isNeeded = state.withLock { state in
            guard state.isWaiting, !state.isCancelled else { return false }
            state.wakeUp = wakeUp
            return true
        }
        if !isNeeded { wakeUp.cancel() }
    }

    private func expire() {
        let now = clock.now
        let isDue = state.withLock { state in
            guard state.isWaiting, !state.isCancelled else { return false }
            (state.isWaiting, state.wakeUp, state.last) = (false, nil, now)
            return true
        }
        if isDue { body() }
    }

    /// Calls the body no more.
    func cancel() {
        let wakeUp = state.withLock { state in
            state.isCancelled = true
            return state.wakeUp.take()
        }
        wakeUp?.cancel()
    }
}
