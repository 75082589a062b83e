internal import VaultFile

/// What is to be expected of a vault's file, as it was known before the file was read.
///
/// In this order an old state meets a file that is as new or newer: the other way round, a save between the two would
/// look like an old file.
struct Expectation: Sendable {
    private let freshness: Freshness
    private let state: FreshnessState
    private let path: String

    init(of freshness: Freshness, state: FreshnessState, path: String) {
        self.freshness = freshness
        self.state = state
        self.path = path
    }

    /// Checks what was decrypted.
    ///
    /// - Throws: `replaced`, `rolledBack` or `forked`.
    func check(_ snapshot: Snapshot) throws(VaultError) {
        let sighting = FreshnessSighting(snapshot)
        if let finding = finding(sighting) { throw VaultError(finding, of: sighting) }
    }

    /// Checks what an unlock decrypted and remembers it, if that is news.
    ///
    /// - Parameter accepting: whether a file that is not what was expected is taken for what is to be expected now.
    /// - Returns: a warning if it could not be written down.
    /// - Throws: `replaced`, `rolledBack` or `forked`.
    func admit(_ snapshot: Snapshot, accepting: Bool) throws(VaultError) -> [VaultWarning] {
        guard freshness.policy.isRemembered else { return [] }
        let sighting = FreshnessSighting(snapshot)
        if let finding = finding(sighting) {
            guard accepting else { throw VaultError(finding, of: sighting) }
            return freshness.accept(sighting, at: path, against: state)
        }
        var next = state
        next.record(sighting, at: freshness.place(of: path))
        return next == state ? [] : freshness.record(sighting, at: path)
    }

    private func finding(_ sighting: FreshnessSighting) -> FreshnessFinding? {
        // Nothing is known, so no path is looked up.
        guard state != FreshnessState() else { return nil }
        return FreshnessState.finding(sighting, at: freshness.place(of: path), before: state) { freshness.read() }
    }
}

extension FreshnessSighting {
    init(_ snapshot: Snapshot) { self.init(header: snapshot.header, plaintext: snapshot.plaintext) }
}

extension VaultError {
    fileprivate init(_ finding: FreshnessFinding, of sighting: FreshnessSighting) {
        self =
            switch finding {
            case .replaced: .replaced
            case .rolledBack(let newest): .rolledBack(generation: sighting.generation, newest: newest)
            case .forked: .forked(generation: sighting.generation)
            case .rekeyed: .rekeyed
            }
    }
}
