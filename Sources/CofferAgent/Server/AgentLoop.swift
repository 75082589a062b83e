package import VaultFile

/// The agent's one thread for sockets and signals. It never blocks and never spins: without anything to do it waits.
///
/// Each connection has one request at a time. What a handler answers on other threads comes back through a mailbox.
package final class AgentLoop {
    let listener: Int32
    let signals: Int32
    let handler: any AgentHandler
    let limits: AgentLimits
    let mailbox: LoopMailbox

    var connections: [UInt64: LoopConnection] = [:]
    var lastNumber: UInt64 = 0
    var queues: RequestQueues
    var budget: FrameBudget
    /// When to accept again after the system had no descriptor for it; the smallest number for now.
    var acceptsAgain = Int64.min

    /// The handler's count of locks, when the loop looked last.
    var locksSeen: UInt64 = 0

    private enum Phase: Equatable { case running, ending(until: Int64), ended }
    private var phase = Phase.running

    /// Prepares a loop.
    ///
    /// - Parameters:
    ///   - listener: a listening socket that never blocks; the caller's.
    ///   - signals: a descriptor of signals that end the loop, or -1; the caller's.
    ///   - handler: answers the requests.
    ///   - limits: what clients may take.
    /// - Throws: why the system gives no descriptor to wake it with.
    package init(
        listener: Int32, signals: Int32 = -1, handler: any AgentHandler, limits: AgentLimits = AgentLimits()
    ) throws(Errno) {
        self.listener = listener
        self.signals = signals
        self.handler = handler
        var limits = limits
        if let descriptors = DescriptorLimit.current {
            // Of few, half: one connection at a time would have clients end each other's.
            let spared = min(limits.sparedDescriptors, descriptors / 2)
            limits.connections = max(min(limits.connections, descriptors - spared), 1)
        }
        self.limits = limits
        queues = RequestQueues(limits)
        budget = FrameBudget(limits)
        mailbox = try LoopMailbox()
    }

    var isEnding: Bool { phase != .running }

    /// Runs until a signal or a request ends it: then everything is locked, and what had begun is answered.
    ///
    /// Connections that wait for the end of the program stay open for as long as this object lives.
    package func run() {
        while phase != .ended {
            takeAnswers()
            let now = MonotonicTime.now
            // Before the dispatching, for which it makes room.
            enforcePatience(at: now)
            dispatchWaiting()
            endIfDone(at: now)
            if phase == .ended || !mailbox.fallAsleep() { continue }
            wait(from: now)
        }
    }

    // Apart from the waiting, which may last: here an answer's frame, and the value in it, is let go of.
    private func takeAnswers() {
        if mailbox.takeEnd() { beginEnding() }
        var answers = mailbox.take()
        noticeLocks(&answers)
        for answer in answers { complete(answer) }
    }

    /// Locks everything and takes no more requests.
    func beginEnding() {
        guard phase == .running else { return }
        handler.lockAll()
        phase = .ending(until: MonotonicTime.deadline(after: limits.farewell))
        for connection in connections.values where connection.isReading && !connection.staysToTheEnd {
            end(connection)
        }
    }

    private func endIfDone(at now: Int64) {
        guard case .ending(let deadline) = phase else { return }
        let isDone = queues.isHandlerIdle && connections.values.allSatisfy { $0.isReading }
        if isDone || now >= deadline { phase = .ended }
    }

    private func signalCame() {
        while SignalDescriptor.next(signals) != nil {
            // Who asks twice does not want to wait.
            if isEnding { phase = .ended }
            beginEnding()
        }
    }

    // MARK: Waiting

    private func wait(from now: Int64) {
        let isAccepting = !isEnding && now >= acceptsAgain
        var poller = Poller()
        let answers = poller.add(mailbox.descriptor, .reading)
        let ends = poller.add(signals, .reading)
        let clients = poller.add(isAccepting ? listener : -1, .reading)
        var places: [(number: UInt64, place: Int)] = []
        for connection in connections.values where !(isEnding && connection.isReading) {
            let interest: Poller.Interest =
                connection.isReading ? .reading : connection.unsent > 0 ? .writing : .nothing
            places.append((connection.number, poller.add(connection.socket.number, interest)))
        }
        guard poller.wait(atMost: timeout(from: now)) else { return }
        if poller.isReady(answers) { mailbox.acknowledge() }
        if poller.isReady(ends) { signalCame() }
        for (number, place) in places where poller.isReady(place) {
            if let connection = connections[number] { advance(connection) }
        }
        // Last, so that connections that ended make room.
        if poller.isReady(clients), !isEnding { accept() }
    }

    /// Until when to wait, in milliseconds; -1 for ever.
    private func timeout(from now: Int64) -> Int32 {
        var next = connections.values.reduce(Int64.max) { min($0, $1.deadline) }
        if acceptsAgain > now { next = min(next, acceptsAgain) }
        if case .ending(let deadline) = phase { next = min(next, deadline) }
        if holdsSecrets { next = min(next, now + Self.lockNoticing) }
        if let scarce = nextShortDeadline { next = min(next, scarce) }
        return next == .max ? -1 : MonotonicTime.milliseconds(next - now)
    }
}
