internal import SecureMemory

/// One trigger that is watched for one vault or cache, until this is cancelled or let go.
package final class Attachment: Sendable {
    /// What cannot be watched, and the system's number for why; nil if all is well.
    package let unavailable: (name: String, errno: Int32)?

    private let sleep: SleepWatch?
    private let ending: PlainMutex<(@Sendable () -> Void)?>
    private let owner = ProcessToken.current

    init(
        unavailable: (name: String, errno: Int32)? = nil, sleep: SleepWatch? = nil,
        ending: (@Sendable () -> Void)? = nil
    ) {
        self.unavailable = unavailable
        self.sleep = sleep
        self.ending = PlainMutex(ending)
    }

    deinit { cancel() }

    /// Whether the trigger fired without being noticed yet: the machine slept. To be asked at each access.
    ///
    /// It stays so until `restart()`.
    ///
    /// - Returns: true if the owner has to lock or clear.
    package func isDue() -> Bool { sleep?.isDue ?? false }

    /// Counts from now on: what came before is done. To be called at an unlock, or after clearing.
    package func restart() { sleep?.restart() }

    /// Stops watching. A firing that goes on at this moment may still arrive.
    package func cancel() {
        // What a parent watches is not for its forked child to end.
        guard owner == ProcessToken.current else { return }
        let end = ending.withLock { $0.take() }
        end?()
    }
}
