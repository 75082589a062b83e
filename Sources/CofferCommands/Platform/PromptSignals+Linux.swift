internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("PromptSignals knows Linux only: add a file for this system to this folder")
#endif

/// Holds back the signals that end or stop the process while the terminal is changed, and delivers them later.
///
/// All of them but SIGKILL and SIGSTOP, which nobody can hold back: also those that a fault of ours would raise, for they
/// can come from outside too. (For a fault of ours the kernel ends a process that holds them back.)
struct PromptSignals: ~Copyable {
    /// What happened first.
    enum Event {
        case ready
        case signal(Int32)
        case failure(SystemError)
    }

    /// Readable when a signal waits; negative when there is none to be had.
    let descriptor: Int32
    private let before: UInt64

    // What the kernel does nothing for unless somebody asked for it. (It does something for SIGCONT: it ends a stop.)
    private static let harmless = [SIGCHLD, SIGURG, SIGWINCH]

    /// Blocks the signals that are not ignored anyway.
    init() {
        var held: UInt64 = 0
        for number in Int32(1)...64 where number != SIGKILL && number != SIGSTOP && !Self.harmless.contains(number) {
            var action = sigaction()
            // The library does not tell of the two signals that it uses itself: those are held back.
            let isKnown = unsafe sigaction(number, nil, &action) == 0
            let isIgnored = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
            if !(isKnown && isIgnored) { held |= Self.bit(number) }
        }
        var before: UInt64 = 0
        _ = unsafe cs_signal_mask(SIG_BLOCK, held, &before)
        self.before = before
        descriptor = cs_signalfd(held)
    }

    deinit {
        if descriptor >= 0 { Descriptors.close(descriptor) }
        // A signal that arrived at the last moment acts here, with the terminal as it was.
        _ = cs_signal_mask(SIG_SETMASK, before, nil)
    }

    private static func bit(_ number: Int32) -> UInt64 { 1 << UInt64(number - 1) }

    /// Waits until a file is ready or a signal comes; a signal goes first.
    ///
    /// - Parameters:
    ///   - file: the descriptor of the file.
    ///   - events: what it is to be ready for, as in poll(2).
    borrowing func wait(for file: Int32, _ events: Int32) -> Event {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: file, events: Int16(events), revents: 0),
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
            if entries[1].revents != 0 { return .ready }
        }
    }

    /// Lets one signal act as if it had come now, and holds it back again if the process goes on.
    borrowing func deliver(_ number: Int32) {
        _ = cs_raise(number)
        letting(number) {}
    }

    /// Runs something during which one signal acts at once.
    borrowing func letting<Result>(_ number: Int32, _ body: () -> Result) -> Result {
        // The signal that ends a stop is of no use once we go on.
        let set = Self.bit(number) | Self.bit(SIGCONT)
        _ = cs_signal_mask(SIG_UNBLOCK, set, nil)
        defer { _ = cs_signal_mask(SIG_BLOCK, set, nil) }
        return body()
    }
}
