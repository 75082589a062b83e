import Foundation

/// A forked copy of this process, for what only a fork shows.
package enum Child {
    struct Failed: Error {}

    /// Runs a closure in a forked child and returns what it returned, or 128 and more for a signal.
    ///
    /// Swift hides fork(2), for good reasons: the closure must not wait for another thread. What needs more than a look
    /// at what it inherited belongs into an exit test, where no other test holds a lock of the runtime at that moment.
    package static func status(within seconds: UInt32 = 120, _ body: () -> Int32) throws -> Int32 {
        let child = try start(within: seconds, body)
        var status: Int32 = 0
        guard unsafe waitpid(child, &status, 0) == child else { throw Failed() }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// Runs a closure in a forked child, which the caller waits for or ends.
    package static func start(within seconds: UInt32 = 120, _ body: () -> Int32) throws -> Int32 {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = unsafe dlsym(nil, "fork") else { throw Failed() }
        let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            // The harness's threads take no signals.
            var none = sigset_t()
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
            alarm(seconds)
            _exit(body())
        }
        guard child > 0 else { throw Failed() }
        return child
    }
}
