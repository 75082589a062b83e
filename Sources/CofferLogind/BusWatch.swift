/// One connection to the bus, for as long as it lasts, and the inhibitor that was taken through it.
struct BusWatch: ~Copyable {
    private let agent: AgentLocking
    private let manager: LoginManager
    private var owner: String
    private var inhibitor: SleepInhibitor?

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
        self.inhibitor = inhibitor
    }

    /// Whether the machine waits for us.
    var isHeard: Bool { inhibitor != nil }

    // How the bus calls it that there is no login manager, and none to start.
    private static let nobody = "org.freedesktop.DBus.Error.ServiceUnknown"

    /// A machine that does not wait is not one that does not tell: so this is said, and no reason to end.
    private static func inhibitSleep(_ manager: borrowing LoginManager) -> SleepInhibitor? {
        do throws(BusError) { return try manager.inhibitSleep() } catch {
            sayUnheard(error)
            return nil
        }
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
                if manager.bus.wait(or: signals) { return }
            }
        } catch {
            agent.lockAll(because: "the system bus was lost")
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

    private mutating func act(on event: LogindEvent) {
        switch event {
        case .sleep(isAhead: true):
            agent.lockAll(because: "the machine was about to sleep")
            // Only now may it.
            inhibitor = nil
        case .sleep(isAhead: false):
            inhibitor = Self.inhibitSleep(manager)
        case .locked(let session):
            if manager.isOurs(session: session) { agent.lockAll(because: "the session was locked") }
        case .manager(let name):
            owner = name
            if !name.isEmpty { inhibitor = Self.inhibitSleep(manager) }
        }
    }
}
