internal import CofferAgent
internal import VaultFile

/// Locks all vaults before the machine sleeps and when the user's session is locked. One thread, and no secret in it.
struct LogindWatch: ~Copyable {
    // After the bus is gone: how often it is looked for, and how many milliseconds between.
    private static let attempts = 30
    private static let pause: Int32 = 1_000

    private let agent: AgentLocking
    private let signals: OwnedDescriptor

    /// Makes a watch that SIGTERM, SIGINT and SIGHUP end.
    ///
    /// - Throws: why the system tells of no signals.
    init(of location: AgentLocation) throws(Errno) {
        agent = AgentLocking(location: location)
        signals = try SignalDescriptor.open(SignalDescriptor.ending)
    }

    /// Watches until a signal comes, or the bus is gone and does not come back.
    ///
    /// - Returns: the program's exit status.
    func run() -> ExitStatus {
        var wasThere = false
        var attempt = 0
        while true {
            do throws(BusError) {
                var watch = try BusWatch(agent)
                if attempt > 0 { Messages.say("the system bus is back") }
                (wasThere, attempt) = (true, 0)
                try watch.serve(until: signals.number)
                return .success
            } catch {
                if attempt == 0 { Messages.say("cannot \(error.step): \(error.reason)") }
                // A bus that was never there is nothing to wait for.
                guard wasThere else { return .failure }
            }
            attempt += 1
            guard attempt <= Self.attempts else {
                Messages.say("the system bus did not come back")
                return .failure
            }
            if Poller.canRead(signals.number, within: Self.pause) { return .success }
        }
    }
}
