internal import CSystem
internal import CofferAgent
internal import Glibc

/// Locks all vaults before the machine sleeps and when the user's session is locked. One thread, and no secret in it.
struct LogindWatch: ~Copyable {
    // After the bus is gone: how often it is looked for, and how many milliseconds between.
    private static let attempts = 30
    private static let pause: Int32 = 1_000

    private let agent: AgentLocking
    private let signals: Int32

    /// Makes a watch that SIGTERM, SIGINT and SIGHUP end.
    init(of location: AgentLocation) {
        agent = AgentLocking(location: location)
        let ends = [SIGTERM, SIGINT, SIGHUP].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
        cs_signal_mask(SIG_BLOCK, ends, nil)
        signals = cs_signalfd(ends)
    }

    deinit { close(signals) }

    /// Watches until a signal comes, or the bus is gone and does not come back.
    ///
    /// - Returns: the program's exit status.
    func run() -> Int32 {
        var wasThere = false
        var attempt = 0
        while true {
            do throws(BusError) {
                var watch = try BusWatch(agent)
                if attempt > 0 { Messages.say("the system bus is back") }
                (wasThere, attempt) = (true, 0)
                try watch.serve(until: signals)
                return EXIT_SUCCESS
            } catch {
                if attempt == 0 { Messages.say("cannot \(error.step): \(error.reason)") }
                // A bus that was never there is nothing to wait for.
                guard wasThere else { return EXIT_FAILURE }
            }
            attempt += 1
            guard attempt <= Self.attempts else {
                Messages.say("the system bus did not come back")
                return EXIT_FAILURE
            }
            if isToEnd(within: Self.pause) { return EXIT_SUCCESS }
        }
    }

    private func isToEnd(within milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, milliseconds) > 0
    }
}
