internal import VaultFile

/// A reason for a vault to lock itself, or to drop what it has decrypted.
///
/// A trigger is a value that does nothing by itself. It is watched while a vault or cache that has it holds something.
public struct LockTrigger: Sendable {
    /// What an owner does when a trigger fires.
    package enum Action: Sendable, Equatable {
        /// Gives up everything, the key too. A cache is cleared.
        case lock
        /// Gives up the decrypted settings and keeps the key. A cache is cleared.
        case dropCopy
    }

    private enum Kind: Sendable {
        case memoryPressure(MemoryPressure.Threshold)
        case sleep
        case signal(Int32)
        case custom(LockSignal)
    }

    private let kind: Kind

    /// Drops the decrypted settings when memory is short: 200 ms of waiting for memory within 2 s.
    ///
    /// The key is kept, and the next read decrypts the file again. What is watched is said at
    /// ``memoryPressure(stall:within:)``.
    public static let memoryPressure = memoryPressure(stall: .milliseconds(200), within: .seconds(2))

    /// Drops the decrypted settings when memory is short.
    ///
    /// On Linux the signs are pressure stall information of the system and of the process's cgroup (version 2), and the
    /// cgroup's counters of having reached a limit of memory. Where there are none, the vault says so in its warnings.
    ///
    /// - Parameters:
    ///   - stall: how long tasks wait for memory, all in all.
    ///   - window: within which time; rounded up to 2, 4, 6, 8 or 10 seconds, as the kernel asks for.
    /// - Returns: the trigger.
    public static func memoryPressure(stall: Duration, within window: Duration) -> LockTrigger {
        LockTrigger(kind: .memoryPressure(MemoryPressure.Threshold(stall: stall, within: window)))
    }

    /// Locks when the machine has slept for a second or more.
    ///
    /// It is seen at the next access, and without one soon after the machine wakes. Before the machine sleeps, a program
    /// is not told; the secrets of an unlocked vault are in its memory meanwhile.
    public static let sleep = LockTrigger(kind: .sleep)

    /// Locks when the process gets a signal, which then does what it would have done.
    ///
    /// A signal that ends or stops the process by default does so once all vaults and caches that wait for it are locked
    /// and cleared. A handler that was there before is called at once, in signal context; an ignored signal only locks.
    /// The disposition is changed while a vault or cache waits for the signal, and put back afterwards.
    ///
    /// - Parameter number: such as `SIGTERM` or `SIGHUP`. `SIGKILL`, `SIGSTOP` and the signals of a crash cannot be waited
    ///   for: a vault with such a trigger says so in its warnings.
    /// - Returns: the trigger.
    public static func signal(_ number: Int32) -> LockTrigger { LockTrigger(kind: .signal(number)) }

    /// Locks when the app fires a signal of its own.
    ///
    /// - Parameter signal: what the app keeps and fires.
    /// - Returns: the trigger.
    public static func custom(_ signal: LockSignal) -> LockTrigger { LockTrigger(kind: .custom(signal)) }

    /// Begins to watch for this trigger.
    ///
    /// Never fires at once. What cannot be watched is told by the attachment.
    ///
    /// - Parameters:
    ///   - clock: tells how long the machine slept.
    ///   - surroundings: opens what the kernel tells by.
    ///   - fire: called at each firing, on any thread, never with a lock of ours held: it may cancel the attachment. The
    ///     attachment keeps it, so it holds its owner weakly.
    /// - Returns: what keeps the watch going.
    package func attach(
        clock: any VaultClock, in surroundings: TriggerSurroundings = TriggerSurroundings(),
        _ fire: @escaping @Sendable (Action) -> Void
    ) -> Attachment {
        switch kind {
        case .memoryPressure(let threshold):
            let pressure = MemoryPressure(threshold, clock: clock, in: surroundings) { fire(.dropCopy) }
            return Attachment(unavailable: pressure.failure.map { ("memory pressure", $0.code) }) { pressure.cancel() }
        case .sleep:
            let sleep = SleepWatch(clock: clock, in: surroundings) { fire(.lock) }
            return Attachment(unavailable: sleep.failure.map { ("sleep", $0.code) }, sleep: sleep) { sleep.cancel() }
        case .signal(let number):
            do throws(Errno) {
                let signals = CaughtSignals.shared
                let ticket = try signals.attach(number) { fire(.lock) }
                return Attachment { signals.detach(ticket, from: number) }
            } catch {
                return Attachment(unavailable: ("signal \(number)", error.code))
            }
        case .custom(let signal):
            let target = signal.add { fire(.lock) }
            return Attachment { signal.remove(target) }
        }
    }
}
