extension Vault {
    /// Runs the closure of an update, in which another change from the same thread is refused.
    ///
    /// It could only wait for itself: the file's lock is held meanwhile.
    func asUpdater<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let thread = CurrentThread.number
        withState { $0.updater = thread }
        defer { withState { if $0.updater == thread { $0.updater = nil } } }
        return try body()
    }

    /// Refuses a change inside the closure of an update.
    ///
    /// - Throws: `refused`.
    func refuseNesting() throws(VaultError) {
        guard withState({ $0.updater }) != CurrentThread.number else {
            throw .refused(reason: "a change cannot begin inside the closure of an update of the same vault")
        }
    }
}
