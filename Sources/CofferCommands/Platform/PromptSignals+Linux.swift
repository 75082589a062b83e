internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("PromptSignals knows Linux only: add a file for this system to this folder")
#endif

/// Holds back the signals that end or stop the process while the terminal is changed, and delivers them later.
struct PromptSignals: ~Copyable {
    /// What happened first.
    enum Event {
        case input
        case signal(Int32)
        case failure(SystemError)
    }

    /// Readable when a signal waits; negative when there is none to be had.
    let descriptor: Int32
    private let before: sigset_t

    /// Blocks the signals that are not ignored anyway.
    init() {
        var blocked: [Int32] = []
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT] {
            var action = sigaction()
            let known = unsafe sigaction(number, nil, &action) == 0
            let isIgnored = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
            if known && !isIgnored { blocked.append(number) }
        }
        var mask = sigset_t()
        _ = unsafe sigemptyset(&mask)
        for number in blocked { _ = unsafe sigaddset(&mask, number) }
        var before = sigset_t()
        _ = unsafe pthread_sigmask(SIG_BLOCK, &mask, &before)
        self.before = before
        descriptor = unsafe cs_signalfd(blocked, Int32(blocked.count))
    }

    deinit {
        if descriptor >= 0 { Descriptors.close(descriptor) }
        var mask = before
        // A signal that arrived at the last moment acts here, with the terminal as it was.
        _ = unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Waits for input or a signal; a signal goes first.
    borrowing func wait(for input: Int32) -> Event {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&entries, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return .failure(SystemError(number: errno))
            }
            if entries[0].revents != 0 {
                // struct signalfd_siginfo: 128 bytes, the number of the signal first.
                var info = [UInt32](repeating: 0, count: 32)
                if unsafe read(descriptor, &info, 128) == 128 { return .signal(Int32(bitPattern: info[0])) }
                continue
            }
            if entries[1].revents != 0 { return .input }
        }
    }

    /// Lets one signal act as if it had come now, and holds it back again if the process goes on.
    borrowing func deliver(_ number: Int32) {
        var one = sigset_t()
        _ = unsafe sigemptyset(&one)
        _ = unsafe sigaddset(&one, number)
        // The signal that ends a stop is of no use once we go on.
        _ = unsafe sigaddset(&one, SIGCONT)
        _ = raise(number)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &one, nil)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &one, nil)
    }
}
