package import PropertyLists
internal import VaultFile

// What a process that holds a vault for others asks of it.
extension Vault {
    /// How long a vault stays unlocked without another use; nil stands for ever.
    package struct TimeLeft: Equatable, Sendable {
        /// Until the idle deadline.
        package let idle: Duration?
        /// Until the maximum age.
        package let maximumAge: Duration?

        /// Takes two durations.
        package init(idle: Duration?, maximumAge: Duration?) {
            self.idle = idle
            self.maximumAge = maximumAge
        }
    }

    /// The time until the deadlines, or nil when the vault is locked. Asking extends none.
    package var timeLeft: TimeLeft? {
        let now = surroundings.clock.now
        return withState { state in
            guard state.held(at: now) != nil else { return nil }
            return state.unlocked.map { unlocked in
                let left = unlocked.deadlines.left(at: now)
                return TimeLeft(
                    idle: left.idle.map { .nanoseconds($0) }, maximumAge: left.maximumAge.map { .nanoseconds($0) })
            }
        }
    }

    /// Lends the value of a setting with the list that it stands in and the generation that it is of.
    ///
    /// - Parameter body: gets a number of nil for a setting that is absent.
    /// - Throws: as ``contains(_:)``; what `body` throws.
    package func withValueOfSave<Result: ~Copyable>(
        of spelling: String,
        _ body: (PropertyListReader, _ object: Int?, _ generation: UInt64) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        let snapshot = try snapshot()
        let object = try snapshot.find(spelling)
        return try snapshot.withSettings { (reader) throws(VaultError) in
            try body(reader, object, snapshot.plaintext.generation)
        }
    }
}

extension Snapshot {
    /// The number of a setting's value, under its name as it is spelled, else in composed form; nil when absent.
    func find(_ spelling: String) throws(VaultError) -> Int? {
        let exact = SettingName(spelling)
        if let object = value(of: exact) { return object }
        let normal = try exact.normalized()
        return normal == exact ? nil : value(of: normal)
    }
}
