internal import SecureMemory

/// Drops what has expired although nobody asks for it, with at most one wake-up pending.
///
/// A deadline that moves away costs nothing: the wake-up comes at the old one, finds nothing due, and waits for the new
/// one. In a forked child nothing is pending until it asks.
package final class LazyTimer: Sendable {
    private struct Pending: Sendable {
        let deadline: Int64
        let number: UInt64
        let wakeUp: any WakeUp
    }

    private final class State: Sendable {
        let pending = PlainMutex<(last: UInt64, next: Pending?)>((0, nil))
    }

    private let clock: any VaultClock
    private let expire: @Sendable (_ now: Int64) -> Int64?
    private let state = PerProcess { State() }

    /// Makes a timer that waits for nothing yet.
    ///
    /// - Parameters:
    ///   - clock: tells the time and wakes up.
    ///   - expire: drops what is due and returns the next deadline, on another thread and with no lock held. It must
    ///     not keep the timer's owner alive.
    package init(clock: any VaultClock, expire: @escaping @Sendable (_ now: Int64) -> Int64?) {
        self.clock = clock
        self.expire = expire
    }

    deinit { cancel() }

    /// Sees to it that there is a wake-up at a time, or before it.
    ///
    /// - Returns: false when the system gives no wake-up. Then the next call tries again; till then what has expired
    ///   is dropped only when it is asked for.
    @discardableResult
    package func ensure(by deadline: Int64?) -> Bool {
        guard let deadline else { return true }
        let (isPending, replaced) = state.object.pending.withLock { pending -> (Bool, Pending?) in
            if let next = pending.next, next.deadline <= deadline { return (true, nil) }
            let number = pending.last + 1
            guard let wakeUp = try? clock.wakeUp(at: deadline, { [weak self] in self?.fire(number) }) else {
                return (false, nil)
            }
            let replaced = pending.next
            pending = (number, Pending(deadline: deadline, number: number, wakeUp: wakeUp))
            return (true, replaced)
        }
        replaced?.wakeUp.cancel()
        return isPending
    }

    /// Forgets the pending wake-up.
    package func cancel() {
        let pending = state.existing?.pending.withLock { pending -> Pending? in
            defer { pending.next = nil }
            return pending.next
        }
        pending?.wakeUp.cancel()
    }

    private func fire(_ number: UInt64) {
        let fired = state.object.pending.withLock { pending -> Pending? in
            // Replaced or cancelled while it was on its way.
            guard pending.next?.number == number else { return nil }
            defer { pending.next = nil }
            return pending.next
        }
        guard fired != nil else { return }
        ensure(by: expire(clock.now))
    }
}
