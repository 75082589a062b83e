internal import SecureMemory

/// An app's own reason to lock: a screen that is locked, a window that is closed, a user who leaves.
///
/// One signal may be given to any number of vaults and caches, as a trigger; the app keeps it and fires it. After a fork
/// without exec, nothing listens to it in the child until something is unlocked or set there.
public final class LockSignal: Sendable {
    private struct State {
        var targets: [(number: UInt64, fire: @Sendable () -> Void)] = []
        var last: UInt64 = 0
    }

    private final class Listeners: Sendable {
        let state = PlainMutex(State())
    }

    private let listeners = PerProcess { Listeners() }

    /// Makes a signal that nothing listens to yet.
    public init() {}

    /// Locks all vaults and clears all caches that have this signal among their triggers.
    ///
    /// When this returns, all that listened at the call is locked or cleared. Any thread may call it, at any time.
    public func fire() {
        // Called without the lock, so that a target may leave, and others come, meanwhile.
        let targets = listeners.object.state.withLock { $0.targets }
        for target in targets { target.fire() }
    }

    /// Adds what is called at each firing, on the thread that fires.
    ///
    /// - Returns: the number by which to remove it.
    func add(_ fire: @escaping @Sendable () -> Void) -> UInt64 {
        listeners.object.state.withLock { state in
            state.last += 1
            state.targets.append((state.last, fire))
            return state.last
        }
    }

    /// Removes a target; a firing that goes on may still reach it once.
    func remove(_ number: UInt64) {
        // What a target holds is let go outside the lock: its end may come back here.
        let removed = listeners.object.state.withLock { state -> (@Sendable () -> Void)? in
            guard let index = state.targets.firstIndex(where: { $0.number == number }) else { return nil }
            return state.targets.remove(at: index).fire
        }
        _ = removed
    }
}
