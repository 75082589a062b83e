internal import CofferAgent

/// One connection to the bus, for as long as it lasts, and the inhibitor that was taken through it.
struct BusWatch: ~Copyable {
    private let agent: AgentLocking
    private let manager: LoginManager
    private var owner: String
    private var inhibitor: SleepInhibitor?
    /// Whether the inhibitor could not be taken when it was last tried.
    private var isUnheard: Bool
    /// Whether the machine has told that it is about to sleep, and not yet that it is awake.
    private var isAsleep = false
    /// Whether a lock did not succeed, and is still to be made.
    private var isLockOwed = false
    /// When there was last nothing to read: what is read now was sent after that.
    private var lastIdle = MonotonicTime.now

    /// Connects, and has the machine wait for us before it sleeps.
    ///
    /// - Throws: when there is no bus, or no login manager on it.
    init(_ agent: AgentLocking) throws(BusError) {
        let manager = try LoginManager()
        let inhibitor: SleepInhibitor?
        // This also starts a login manager that is started on demand.
        do throws(BusError) { inhibitor = try manager.inhibitSleep() } catch {
            guard error.name != Self.nobody else { throw error }
            Self.sayUnheard(error)
            inhibitor = nil
        }
        owner = try manager.owner()
        self.agent = agent
        self.manager = manager
        isUnheard = inhibitor == nil
        self.inhibitor = inhibitor
        tellStatus()
    }

    // How the bus calls it that there is no login manager, and none to start.
    private static let nobody = "org.freedesktop.DBus.Error.ServiceUnknown"

    // The machine waits five seconds, by default, from its signal to its sleep. Others than that lock hold up the signal.
    private static let sleepPatience = Duration.milliseconds(4_500)
    private static let patience = Duration.seconds(2)
    // After what time something is tried again that failed, in milliseconds.
    private static let pause: Int32 = 2_000

    /// Takes the inhibitor, unless there is one, or the machine is about to sleep.
    ///
    /// A machine that does not wait is not one that does not tell: so this is said, and no reason to end.
    private mutating func inhibitSleep() {
        guard isInhibitorWanted else { return }
        do throws(BusError) {
            // Not for long: a sleep may be told of meanwhile.
            inhibitor = try manager.inhibitSleep(microseconds: 1_000_000)
            if isUnheard { Messages.say("the machine waits for the lock again before it sleeps") }
            isUnheard = false
        } catch {
            // Once: it is tried until it succeeds.
            if !isUnheard { Self.sayUnheard(error) }
            isUnheard = true
        }
        tellStatus()
    }

    private var isInhibitorWanted: Bool {
        let isTaken = inhibitor != nil
        return !isTaken && !isAsleep && !owner.isEmpty
    }

    /// Tells the service manager, if one started us, whether the machine waits for us.
    private func tellStatus() {
        ServiceManager.tellReady(
            isUnheard ? "Locks at sleep, which does not wait; tries again to have it wait" : "Locks before sleep")
    }

    private static func sayUnheard(_ error: BusError) {
        Messages.say("the machine will not wait for the lock before it sleeps: \(error.reason)")
    }

    /// Does what the login manager's signals ask for.
    ///
    /// - Parameter signals: returns when this descriptor can be read.
    /// - Throws: when the bus is gone. Everything is locked then: what is told from now on is not heard.
    mutating func serve(until signals: Int32) throws(BusError) {
        do throws(BusError) {
            while true {
                while try step() {}
                let isToTryAgain = isLockOwed || isInhibitorWanted
                if manager.bus.wait(or: signals, atMost: isToTryAgain ? Self.pause : -1) { return }
                lastIdle = MonotonicTime.now
                if isToTryAgain { tryAgain() }
            }
        } catch {
            agent.lockAll(because: "the system bus was lost", until: MonotonicTime.deadline(after: Self.sleepPatience))
            throw error
        }
    }

    /// Does the next thing that there is to do.
    ///
    /// - Returns: whether there may be more.
    private mutating func step() throws(BusError) -> Bool {
        switch try manager.bus.next() {
        case .message(let message):
            if let event = LogindEvent(message, from: owner) { act(on: event) }
            return true
        case .internalStep: return true
        case .nothing: return false
        }
    }

    private mutating func tryAgain() {
        // A short attempt, without a word: a signal may come meanwhile.
        if isLockOwed { isLockOwed = !agent.lockAll(because: nil, until: MonotonicTime.now) }
        inhibitSleep()
    }

    private mutating func act(on event: LogindEvent) {
        switch event {
        case .sleep(isAhead: true):
            isAsleep = true
            // The signal may have waited for us to do something else: so the time runs from when it can have been sent.
            let passed = Duration.nanoseconds(MonotonicTime.now - lastIdle)
            lock(because: "the machine was about to sleep", within: Self.sleepPatience - passed)
            // Only now may it.
            inhibitor = nil
        case .sleep(isAhead: false):
            isAsleep = false
            inhibitSleep()
        case .locked(let session):
            if manager.isOurs(session: session) { lock(because: "the session was locked", within: Self.patience) }
        case .manager(let name):
            owner = name
            // The one before told nothing of its sleep's end, and what it gave is worth nothing.
            guard !name.isEmpty else { return }
            isAsleep = false
            inhibitor = nil
            inhibitSleep()
        }
    }

    private mutating func lock(because reason: String, within patience: Duration) {
        isLockOwed = !agent.lockAll(because: reason, until: MonotonicTime.deadline(after: max(patience, .zero)))
    }
}
