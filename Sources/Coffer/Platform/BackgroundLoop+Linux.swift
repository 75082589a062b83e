internal import CSystem
internal import Glibc
internal import SecureMemory
package import VaultFile

#if !os(Linux)
    #error("BackgroundLoop knows Linux only: add a file for this system to this folder")
#endif

/// One thread of this process that waits for times and descriptors on behalf of all vaults and caches.
///
/// The thread starts with the first registration and ends, with its descriptors, a second after the last is gone. It
/// takes no signal but those of its own faults. Bodies run on it one after the other, with no lock held: they may
/// register and cancel, and should be quick. In a forked child nothing is registered, and the child's own thread starts
/// when it is needed; what it inherited from its parent it leaves alone, the descriptors too.
///
/// Where the system gives no descriptors the thread looks four times a second instead, so wake-ups come late by a
/// quarter of a second at most.
package final class BackgroundLoop: Sendable {
    private let owner = ProcessToken.current
    private let state = PlainMutex(LoopState())

    private static let ofProcess = PerProcess { BackgroundLoop() }

    /// The loop of this process.
    package static var shared: BackgroundLoop { ofProcess.object }

    /// How long an unused thread stays, and how long one without descriptors sleeps, in milliseconds.
    private static let (linger, slice): (Int32, Int32) = (1_000, 250)

    private init() {}

    // MARK: Registering

    /// Something that the loop waits for, until this is cancelled or let go.
    package final class Registration: WakeUp {
        private let loop: BackgroundLoop
        private let number: UInt64

        fileprivate init(_ loop: BackgroundLoop, _ number: UInt64) {
            self.loop = loop
            self.number = number
        }

        deinit { cancel() }

        /// Cancels it: a body that has not begun does not begin. A watched descriptor is closed, after its body's end.
        package func cancel() { loop.cancel(number) }
    }

    /// Runs a closure whenever a descriptor is ready, until the registration is cancelled or let go.
    ///
    /// The corresponding C function is `poll`: the closure must read what there is, or it runs again at once. A
    /// descriptor that turns out not to be open (`POLLNVAL`) is told once.
    ///
    /// - Parameters:
    ///   - descriptor: belongs to the loop from here on, which closes it, also when this throws.
    ///   - events: what to wait for, such as `POLLIN`.
    ///   - body: is given what the system said.
    /// - Throws: why there is no thread, or no descriptors for it.
    package func watch(
        _ descriptor: Int32, for events: Int16, _ body: @escaping @Sendable (Int16) -> Void
    ) throws(Errno) -> Registration {
        let watch = LoopState.Watch(descriptor: descriptor, events: events, body: body)
        let number: UInt64
        do throws(Errno) {
            number = try state.withLock { (state) throws(Errno) in
                if state.channel == nil { state.channel = try LoopChannel() }
                try start(&state)
                state.last += 1
                state.watches[state.last] = watch
                state.channel?.notify()
                return state.last
            }
        } catch {
            close(descriptor)
            throw error
        }
        return Registration(self, number)
    }

    /// Runs a closure once, at a time of `CLOCK_BOOTTIME` or soon after.
    ///
    /// - Parameters:
    ///   - deadline: in nanoseconds.
    ///   - body: what to run.
    /// - Throws: why there is no thread.
    package func wakeUp(at deadline: Int64, _ body: @escaping @Sendable () -> Void) throws(Errno) -> Registration {
        let number = try state.withLock { (state) throws(Errno) in
            try start(&state)
            state.last += 1
            state.wakeUps[state.last] = LoopState.Timed(deadline: deadline, body: body)
            if deadline < state.armed { state.arm(deadline) }
            return state.last
        }
        return Registration(self, number)
    }

    private func cancel(_ number: UInt64) {
        // A child must not wait for a lock that a thread of its parent held, nor close what it did not open.
        guard owner == ProcessToken.current else { return }
        let dropped = state.withLock { state -> LoopState.Dropped in
            let dropped = (state.wakeUps.removeValue(forKey: number), state.watches.removeValue(forKey: number))
            guard let watch = dropped.1 else {
                if dropped.0 != nil && state.isUnused { state.channel?.notify() }
                return dropped
            }
            if state.running != number && !watch.isClosed { close(watch.descriptor) }
            state.channel?.notify()
            return dropped
        }
        // What the bodies have captured ends here, outside the lock.
        _ = dropped
    }

    // MARK: The thread

    private func start(_ state: inout LoopState) throws(Errno) {
        guard !state.isRunning else { return }
        if state.channel == nil { state.channel = try? LoopChannel() }
        let result = QuietThread.start { [self] in run() }
        guard result == 0 else {
            state.closeChannel()
            throw Errno(code: result)
        }
        state.isRunning = true
    }

    private func run() {
        QuietThread.name("coffer")
        var isLeftAlone = false
        while let round = state.withLock({ $0.nextRound(isLeftAlone) }) {
            var polled = round.polled
            // Without a channel nothing wakes it, so it looks by itself, also while it lingers.
            let timeout = round.isBlind ? Self.slice : round.isUnused ? Self.linger : -1
            let count = unsafe poll(&polled, nfds_t(polled.count), timeout)
            // A limit on descriptors that was lowered meanwhile must not make this spin.
            if count < 0 && errno != EINTR { usleep(useconds_t(Self.slice) * 1_000) }
            isLeftAlone = round.isUnused && count == 0
            if count > 0 { deliver(polled, round) }
            deliverWakeUps()
            // A body forked, and the child came back here: it has a loop of its own.
            guard owner == ProcessToken.current else { return }
        }
    }

    private func deliver(_ polled: [pollfd], _ round: LoopState.Round) {
        let (own, watched) = (polled.prefix(polled.count - round.numbers.count), polled.suffix(round.numbers.count))
        if !own.isEmpty { state.withLock { $0.acknowledge(own) } }
        for (number, entry) in zip(round.numbers, watched) where entry.revents != 0 {
            let watch = state.withLock { $0.begin(number, isClosed: entry.revents & Int16(POLLNVAL) != 0) }
            guard let watch else { continue }
            watch.body(entry.revents)
            guard owner == ProcessToken.current else { return }
            let isCancelled = state.withLock { $0.end(number) }
            if isCancelled && !watch.isClosed { close(watch.descriptor) }
        }
    }

    private func deliverWakeUps() {
        guard owner == ProcessToken.current else { return }
        for number in state.withLock({ $0.due(at: SystemTime.now) }) {
            state.withLock { $0.wakeUps.removeValue(forKey: number) }?.body()
            guard owner == ProcessToken.current else { return }
        }
    }
}
