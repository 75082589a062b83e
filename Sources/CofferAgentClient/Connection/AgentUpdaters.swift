internal import Coffer
internal import SecureMemory

/// The threads that are in the closure of an update of a vault.
final class AgentUpdaters: Sendable {
    private let threads = PlainMutex<Set<UInt>>([])

    /// Runs the closure of an update, in which another change from the same thread is refused.
    ///
    /// It would outdate what the closure has read, which would then run again and again.
    func with<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let thread = CurrentThread.number
        threads.withLock { _ = $0.insert(thread) }
        defer { threads.withLock { _ = $0.remove(thread) } }
        return try body()
    }

    /// Refuses a change inside the closure of an update.
    ///
    /// - Throws: `refused`.
    func refuseNesting() throws(VaultError) {
        let thread = CurrentThread.number
        guard !threads.withLock({ $0.contains(thread) }) else {
            throw .refused(reason: "a change cannot begin inside the closure of an update of the same vault")
        }
    }
}
