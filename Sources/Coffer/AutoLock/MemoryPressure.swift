internal import SecureMemory
internal import VaultFile

/// Watches the kernel's signs that memory is short.
final class MemoryPressure: Sendable {
    /// How long tasks wait for memory within a window, in microseconds.
    struct Threshold: Sendable, Equatable {
        let stall: Int64
        let window: Int64

        private static let step: Int64 = 2_000_000
        private static let longest = 5 * step

        /// Rounds to what the kernel takes from anybody: windows of 2 to 10 s in steps of 2 s.
        init(stall: Duration, within window: Duration) {
            let wanted = min(max(Self.microseconds(window), 1), Self.longest)
            self.window = (wanted + Self.step - 1) / Self.step * Self.step
            self.stall = min(max(Self.microseconds(stall), 1), self.window)
        }

        private static func microseconds(_ duration: Duration) -> Int64 { duration.nanoseconds / 1_000 }

        /// What is written to a file of pressure stall information.
        var trigger: String { "some \(stall) \(window)" }
    }

    /// A file that tells that memory is short.
    private struct Source: Sendable {
        let path: String
        /// What is written to it first; a file of counters takes nothing.
        let trigger: String?
    }

    private struct State {
        var registrations: [String: BackgroundLoop.Registration] = [:]
        var counted = MemoryEvents("")
        var failure: Errno?
    }

    private let state = PlainMutex(State())
    private let coalescer: Coalescer

    /// The shortest time from one firing to the next.
    private static let interval: Int64 = 1_000_000_000

    /// Begins to watch.
    ///
    /// - Parameter fire: called when memory is short, once a second at most.
    init(
        _ threshold: Threshold, clock: any VaultClock, in surroundings: TriggerSurroundings,
        _ fire: @escaping @Sendable () -> Void
    ) {
        coalescer = Coalescer(clock: clock, interval: Self.interval, fire)
        var sources = [Source(path: "/proc/pressure/memory", trigger: threshold.trigger)]
        if let group = surroundings.cgroup() {
            sources.append(Source(path: "\(group)/memory.pressure", trigger: threshold.trigger))
            sources.append(Source(path: "\(group)/memory.events", trigger: nil))
        }
        var failures: [Errno] = []
        for source in sources {
            do throws(Errno) { try watch(source, in: surroundings) } catch { failures.append(error) }
        }
        if failures.count == sources.count { state.withLock { $0.failure = failures.first } }
    }

    /// Why nothing can be watched: what the system says of its own pressure. Nil if there is at least one sign.
    var failure: Errno? { state.withLock { $0.failure } }

    private func watch(_ source: Source, in surroundings: TriggerSurroundings) throws(Errno) {
        let notice = try surroundings.open(source.path, source.trigger).get()
        let descriptor = notice.descriptor
        if source.trigger == nil {
            // Reading also takes back that the file is ready, as it is when it was just opened.
            let counted = MemoryEvents(KernelNotices.text(of: descriptor) ?? "")
            state.withLock { $0.counted = counted }
        }
        try state.withLock { (state) throws(Errno) in
            state.registrations[source.path] = try BackgroundLoop.shared.watch(descriptor, for: notice.events) {
                [weak self] events in self?.notice(source, descriptor, events)
            }
        }
    }

    private func notice(_ source: Source, _ descriptor: Int32, _ events: Int16) {
        let text = KernelNotices.text(of: descriptor)
        if source.trigger != nil {
            KernelNotices.isEnd(events) ? end(source) : coalescer.signal()
        } else if let text {
            // An error among the events of a file of counters only says that they changed.
            if count(MemoryEvents(text)) { coalescer.signal() }
        } else {
            end(source)
        }
    }

    private func count(_ events: MemoryEvents) -> Bool {
        state.withLock { state in
            defer { state.counted = events }
            return events.hasGrown(since: state.counted)
        }
    }

    /// The cgroup is gone: the process is in another one.
    private func end(_ source: Source) {
        let ended = state.withLock { $0.registrations.removeValue(forKey: source.path) }
        ended?.cancel()
    }

    /// Stops watching.
    func cancel() {
        let ended = state.withLock { state in
            defer { state.registrations = [:] }
            return state.registrations
        }
        for registration in ended.values { registration.cancel() }
        coalescer.cancel()
    }
}
