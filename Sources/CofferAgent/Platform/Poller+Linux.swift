internal import Glibc

#if !os(Linux)
    #error("Poller knows Linux only: add a file for this system to this folder")
#endif

/// Waits until one of several descriptors is ready.
///
/// The corresponding C function is `poll`.
package struct Poller {
    /// What of a descriptor ends the wait, besides its own end.
    enum Interest {
        case nothing
        case reading
        case writing
    }

    private var entries: [pollfd] = []

    // What a wait that cannot be made stands still for, in microseconds.
    private static let pause: UInt32 = 250_000

    /// Adds a descriptor. One that is negative is never ready.
    ///
    /// - Returns: its place.
    @discardableResult
    mutating func add(_ descriptor: Int32, _ interest: Interest) -> Int {
        let events: Int32 =
            switch interest {
            case .nothing: 0
            case .reading: POLLIN
            case .writing: POLLOUT
            }
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        return entries.count - 1
    }

    /// Waits.
    ///
    /// - Parameter milliseconds: how long at most; -1 for ever.
    /// - Returns: whether some descriptor is ready.
    mutating func wait(atMost milliseconds: Int32) -> Bool {
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        // A limit on descriptors that was lowered meanwhile must not make the caller spin.
        if count < 0, errno != EINTR { usleep(Self.pause) }
        return count > 0
    }

    /// Whether the descriptor at a place was ready when the last wait ended.
    func isReady(_ place: Int) -> Bool { entries[place].revents != 0 }

    /// Waits until one descriptor can be read.
    ///
    /// - Parameters:
    ///   - descriptor: which.
    ///   - milliseconds: how long at most; -1 for ever.
    /// - Returns: whether it can be.
    package static func canRead(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var poller = Poller()
        poller.add(descriptor, .reading)
        return poller.wait(atMost: milliseconds)
    }
}
