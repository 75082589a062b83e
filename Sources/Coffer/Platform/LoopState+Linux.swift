internal import CSystem
internal import Glibc
internal import VaultFile

#if !os(Linux)
    #error("LoopState knows Linux only: add a file for this system to this folder")
#endif

/// What the background loop waits for; its lock is the loop's.
struct LoopState: Sendable {
    struct Timed: Sendable {
        let deadline: Int64
        let body: @Sendable () -> Void
    }

    struct Watch: Sendable {
        let descriptor: Int32
        let events: Int16
        let body: @Sendable (Int16) -> Void
        /// Somebody else closed it: it is not polled again, nor closed, because the number may be another file's by now.
        var isClosed = false
    }

    /// What one call of `poll` waits for: the loop's own descriptors, then the watched ones by their numbers.
    struct Round: Sendable {
        var polled: [pollfd] = []
        var numbers: [UInt64] = []
        let isUnused: Bool
        let isBlind: Bool
    }

    typealias Dropped = (Timed?, Watch?)

    var isRunning = false
    var channel: LoopChannel?
    /// The number that was given last.
    var last: UInt64 = 0
    var wakeUps: [UInt64: Timed] = [:]
    var watches: [UInt64: Watch] = [:]
    /// The watch whose body runs now.
    var running: UInt64?
    /// What the timer is set to.
    private(set) var armed = Int64.max

    var isUnused: Bool { wakeUps.isEmpty && watches.isEmpty }

    mutating func arm(_ deadline: Int64) {
        armed = deadline
        channel?.arm(deadline)
    }

    mutating func closeChannel() {
        channel?.close()
        channel = nil
        armed = .max
    }

    /// What to wait for next, or nil when the thread is to end.
    mutating func nextRound(_ isLeftAlone: Bool) -> Round? {
        if isUnused && isLeftAlone {
            closeChannel()
            isRunning = false
            return nil
        }
        if channel == nil { channel = try? LoopChannel() }
        // Setting the timer anew also takes back that it is ready.
        arm(wakeUps.values.map(\.deadline).min() ?? .max)
        var round = Round(isUnused: isUnused, isBlind: channel == nil)
        if let channel {
            round.polled = [channel.signal, channel.timer].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        }
        for (number, watch) in watches where !watch.isClosed {
            round.polled.append(pollfd(fd: watch.descriptor, events: watch.events, revents: 0))
            round.numbers.append(number)
        }
        return round
    }

    /// Takes back that the loop's own descriptors are ready. If somebody closed them, the next round makes others.
    mutating func acknowledge(_ own: ArraySlice<pollfd>) {
        if own.contains(where: { $0.revents & Int16(POLLNVAL) != 0 }) {
            // The numbers may be somebody else's by now, so they are not closed.
            channel = nil
        } else {
            channel?.acknowledge()
        }
    }

    /// The watch whose body is to run, unless it was cancelled.
    mutating func begin(_ number: UInt64, isClosed: Bool) -> Watch? {
        guard watches[number] != nil else { return nil }
        if isClosed { watches[number]?.isClosed = true }
        running = number
        return watches[number]
    }

    /// Whether the watch was cancelled while its body ran, so that its descriptor is still to be closed.
    mutating func end(_ number: UInt64) -> Bool {
        running = nil
        return watches[number] == nil
    }

    /// The wake-ups whose time has come, the earliest first.
    func due(at now: Int64) -> [UInt64] {
        wakeUps.filter { $0.value.deadline <= now }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.key)
    }
}

/// The two descriptors of the loop's own: one that ends a wait when something changed, and one that does so at a time.
struct LoopChannel: Sendable {
    let signal: Int32
    let timer: Int32

    init() throws(Errno) {
        signal = cs_eventfd()
        guard signal >= 0 else { throw Errno(code: errno) }
        timer = cs_timerfd()
        guard timer >= 0 else {
            let failure = Errno(code: errno)
            Glibc.close(signal)
            throw failure
        }
    }

    func close() {
        Glibc.close(signal)
        Glibc.close(timer)
    }

    /// Ends the wait.
    func notify() {
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the wait has ended.
        _ = unsafe write(signal, &one, MemoryLayout<UInt64>.size)
    }

    func acknowledge() {
        var count: UInt64 = 0
        _ = unsafe read(signal, &count, MemoryLayout<UInt64>.size)
    }

    /// Ends the wait at a time; the largest number stands for never.
    func arm(_ deadline: Int64) { _ = cs_timerfd_set(timer, deadline == .max ? 0 : max(deadline, 1)) }
}
