internal import CofferAgent
internal import VaultFile

/// The machine waits, for a few seconds, for this to end before it sleeps.
typealias SleepInhibitor = OwnedDescriptor

/// The login manager: what it is asked for.
struct LoginManager: ~Copyable {
    private static let object = SystemBus.Object(
        destination: "org.freedesktop.login1", path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager")

    let bus: SystemBus

    /// Connects, and asks for the signals.
    init() throws(BusError) {
        let bus = try SystemBus()
        for rule in LogindEvent.rules { try bus.subscribe(to: rule) }
        self.bus = bus
    }

    /// The login manager's name of the bus's own making. This starts none.
    func owner() throws(BusError) -> String {
        let answer = try bus.call("GetNameOwner", of: .bus, [Self.object.destination])
        guard let owner = answer.string() else { throw BusError(malformed: "find the login manager") }
        return owner
    }

    /// Has the machine wait for us before it sleeps.
    func inhibitSleep(microseconds: UInt64 = SystemBus.patience) throws(BusError) -> SleepInhibitor {
        let answer = try bus.call(
            "Inhibit", of: Self.object, ["sleep", "coffer", "Locks the vaults before the machine sleeps", "delay"],
            microseconds: microseconds)
        guard let sent = answer.descriptor() else { throw BusError(malformed: "take an inhibitor") }
        // The message closes its own when it ends.
        do throws(Errno) { return try SleepInhibitor(duplicating: sent) } catch {
            throw BusError("take an inhibitor", code: error.code)
        }
    }

    /// Whether a session is of this user. One that cannot be asked for may be: it may have ended meanwhile.
    func isOurs(session path: String) -> Bool {
        let session = SystemBus.Object(
            destination: Self.object.destination, path: path, interface: "org.freedesktop.DBus.Properties")
        // Not for long: a sleep may be told of meanwhile.
        guard
            let answer = try? bus.call(
                "Get", of: session, ["org.freedesktop.login1.Session", "User"],
                microseconds: 1_000_000),
            answer.enter("v", "(uo)"), answer.enter("r", "uo"), let user = answer.number()
        else { return true }
        return user == ThisProcess.user
    }
}
