internal import SecureMemory
internal import VaultFile

/// Tells that the machine slept: when it is asked, and by itself soon after the machine wakes.
final class SleepWatch: Sendable {
    private struct State {
        /// How long the machine had slept when counting began, for who asks.
        var since: Int64
        /// The same, as of the last firing.
        var fired: Int64
        var registration: BackgroundLoop.Registration?
        var failure: Errno?
    }

    /// What counts as a sleep, in nanoseconds: more than clocks can differ by.
    private static let shortest: Int64 = 1_000_000_000

    private let clock: any VaultClock
    private let fire: @Sendable () -> Void
    private let state: PlainMutex<State>

    /// Begins to watch.
    ///
    /// - Parameter fire: called once for each sleep.
    init(clock: any VaultClock, in surroundings: TriggerSurroundings, _ fire: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.fire = fire
        let slept = clock.sleptAtMost
        state = PlainMutex(State(since: slept, fired: slept))
        do throws(Errno) {
            let notice = try surroundings.clockChanges().get()
            let descriptor = notice.descriptor
            try state.withLock { (state) throws(Errno) in
                state.registration = try BackgroundLoop.shared.watch(descriptor, for: notice.events) {
                    [weak self] events in self?.notice(descriptor, events)
                }
            }
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    /// Why a sleep is seen only when somebody asks; nil if all is well.
    var failure: Errno? { state.withLock { $0.failure } }

    /// Whether the machine slept since this began or was restarted.
    var isDue: Bool { clock.slept &- state.withLock { $0.since } >= Self.shortest }

    /// Counts from now on.
    func restart() {
        let slept = clock.sleptAtMost
        state.withLock { state in
            state.since = slept
            // A notice that is still under way is about a time that is over.
            state.fired = max(state.fired, slept)
        }
    }

    private func notice(_ descriptor: Int32, _ events: Int16) {
        if KernelNotices.isEnd(events) { return cancel() }
        // Before the comparison: a jump after it is another notice.
        KernelNotices.acknowledgeClockChange(descriptor)
        let (slept, most) = (clock.slept, clock.sleptAtMost)
        let isAsleep = state.withLock { state in
            guard slept &- state.fired >= Self.shortest else { return false }
            state.fired = most
            return true
        }
        if isAsleep { fire() }
    }

    /// Stops watching.
    func cancel() {
        let ended = state.withLock { $0.registration.take() }
        ended?.cancel()
    }
}
