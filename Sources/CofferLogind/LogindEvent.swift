/// What the login manager tells that is of interest here.
enum LogindEvent: Equatable {
    /// The machine is about to sleep, or it is awake again.
    case sleep(isAhead: Bool)
    /// A session is to be locked, or says that it is.
    case locked(session: String)
    /// There is another login manager, with this name of the bus's own making; none if it is empty.
    case manager(String)
}

extension LogindEvent {
    /// The rules by which the bus sends us what follows.
    static let rules = [
        "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
            + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'",
        "type='signal',sender='org.freedesktop.login1',path_namespace='/org/freedesktop/login1/session',"
            + "interface='org.freedesktop.login1.Session',member='Lock'",
        "type='signal',sender='org.freedesktop.login1',path_namespace='/org/freedesktop/login1/session',"
            + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
            + "arg0='org.freedesktop.login1.Session'",
        "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
            + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.login1'",
    ]

    /// Reads a message.
    ///
    /// A signal can be sent to one connection without its having asked, so who sent it is looked at.
    ///
    /// - Parameters:
    ///   - message: what came.
    ///   - manager: the login manager's name of the bus's own making.
    /// - Returns: nil for everything else, and for what is not as it should be.
    init?(_ message: borrowing BusMessage, from manager: String) {
        if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged") {
            guard message.sender == "org.freedesktop.DBus", message.string() == "org.freedesktop.login1",
                message.string() != nil, let owner = message.string()
            else { return nil }
            self = .manager(owner)
            return
        }
        guard message.sender == manager, let path = message.path else { return nil }
        if message.isSignal("org.freedesktop.login1.Manager", "PrepareForSleep") {
            guard let isAhead = message.boolean() else { return nil }
            self = .sleep(isAhead: isAhead)
        } else if message.isSignal("org.freedesktop.login1.Session", "Lock") {
            self = .locked(session: path)
        } else if message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged"), Self.saysLocked(message) {
            self = .locked(session: path)
        } else {
            return nil
        }
    }

    /// Whether a change of properties says that the session is locked; one whose value is not said counts as that.
    private static func saysLocked(_ message: borrowing BusMessage) -> Bool {
        guard message.string() == "org.freedesktop.login1.Session", message.enter("a", "{sv}") else { return false }
        while message.enter("e", "sv") {
            guard let name = message.string() else { return false }
            if name == "LockedHint" { return message.enter("v", "b") && message.boolean() == true }
            guard message.skip("v"), message.leave() else { return false }
        }
        guard message.leave(), message.enter("a", "s") else { return false }
        while let name = message.string() {
            if name == "LockedHint" { return true }
        }
        return false
    }
}
