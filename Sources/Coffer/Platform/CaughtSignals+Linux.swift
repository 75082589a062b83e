internal import CSystem
internal import Glibc
internal import SecureMemory
internal import VaultFile

#if !os(Linux)
    #error("CaughtSignals knows Linux only: add a file for this system to this folder")
#endif

/// The signals of this process for which vaults and caches wait.
///
/// A handler is in place for a signal while anybody waits for it. It only counts and wakes the background thread, which
/// calls all who wait and then lets the signal do what it does by default, if that is what it would have done.
final class CaughtSignals: Sendable {
    private struct Target: Sendable {
        let number: UInt64
        let fire: @Sendable () -> Void
    }

    private struct State {
        var targets: [Int32: [Target]] = [:]
        var last: UInt64 = 0
        /// Those whose targets are called at this moment.
        var underWay: Set<Int32> = []
        /// The counter that the handler adds to. It is never closed: a handler may run at any time.
        var counter: Int32?
        var registration: BackgroundLoop.Registration?
    }

    private static let ofProcess = PerProcess { CaughtSignals() }

    /// The signals of this process.
    static var shared: CaughtSignals { ofProcess.object }

    // Nobody can catch the first two. The others come from a fault of the program, which must not go on after it.
    private static let refused = [SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT]
    private static let all = Int32(1)...64

    private let state = PlainMutex(State())

    private init() {}

    /// Begins to wait for a signal.
    ///
    /// The corresponding C function is `sigaction`.
    ///
    /// - Parameter fire: called on the background thread each time, once for several that came together.
    /// - Returns: the number by which to stop.
    /// - Throws: `EINVAL` for a signal that cannot be waited for; why there is no thread or descriptor.
    func attach(_ signal: Int32, _ fire: @escaping @Sendable () -> Void) throws(Errno) -> UInt64 {
        guard Self.all.contains(signal), !Self.refused.contains(signal) else { throw Errno(code: EINVAL) }
        return try state.withLock { (state) throws(Errno) in
            try listen(&state)
            if state.targets[signal] == nil, cs_catch_signal(signal) != 0 {
                let failure = Errno(code: errno)
                if state.targets.isEmpty { state.registration = nil }
                throw failure
            }
            state.last += 1
            state.targets[signal, default: []].append(Target(number: state.last, fire: fire))
            return state.last
        }
    }

    private func listen(_ state: inout State) throws(Errno) {
        if state.registration != nil { return }
        if state.counter == nil {
            let counter = cs_eventfd()
            guard counter >= 0 else { throw Errno(code: errno) }
            state.counter = counter
            cs_caught_signals_wake(counter)
        }
        let own = cs_duplicate(state.counter ?? -1)
        guard own >= 0 else { throw Errno(code: errno) }
        state.registration = try BackgroundLoop.shared.watch(own, for: Int16(POLLIN)) { [weak self] _ in
            var count: UInt64 = 0
            _ = unsafe read(own, &count, MemoryLayout<UInt64>.size)
            self?.deliver()
        }
    }

    /// Stops waiting; the last one puts back what was there before.
    func detach(_ number: UInt64, from signal: Int32) {
        let isOver = state.withLock { state -> Bool in
            guard let index = state.targets[signal]?.firstIndex(where: { $0.number == number }) else { return false }
            state.targets[signal]?.remove(at: index)
            guard state.targets[signal]?.isEmpty == true else { return false }
            state.targets[signal] = nil
            cs_release_signal(signal)
            if state.targets.isEmpty { state.registration = nil }
            return !state.underWay.contains(signal)
        }
        // A signal that came just before must not be lost.
        if isOver && cs_signal_arrivals(signal) > 0 { cs_signal_default(signal) }
    }

    private func deliver() {
        for signal in Self.all where cs_signal_arrivals(signal) > 0 {
            let targets = state.withLock { state in
                state.underWay.insert(signal)
                return state.targets[signal] ?? []
            }
            for target in targets { target.fire() }
            _ = state.withLock { $0.underWay.remove(signal) }
            cs_signal_default(signal)
        }
    }
}
