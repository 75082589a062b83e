/// What was seen of vaults: for each the newest save, and for each path the vault that stood there last.
///
/// Specified in the file format, *Freshness*. A value: it is read from a file, asked and changed, and written back.
package struct FreshnessState: Equatable, Sendable {
    /// The most vaults that are remembered; the one whose record changed longest ago is forgotten first.
    package static let maximumVaults = 4_096
    /// The most paths that are remembered.
    package static let maximumPaths = 4_096
    /// The most replaced commitments of one vault that are remembered.
    package static let maximumReplaced = 64
    /// The longest path that is remembered, in bytes: as long as Linux takes.
    package static let maximumPathLength = 4_096

    /// What was seen of one vault.
    struct Record: Equatable, Sendable {
        var newest: FreshnessSighting
        /// The commitments of keys that the newest one replaced, the oldest first.
        var replaced: [[UInt8]]
    }

    /// What was seen at one path.
    struct Place: Equatable, Sendable {
        let path: [UInt8]
        let vaultID: [UInt8]
    }

    /// The record that changed last stands last, and so does the place.
    private(set) var records: [Record]
    private(set) var places: [Place]

    /// The state that knows nothing.
    package init() { self.init(records: [], places: []) }

    /// The state of records and places that are within the limits, each vault and path standing there once.
    init(records: [Record], places: [Place]) {
        self.records = records
        self.places = places
    }

    /// The generation of the newest save that was seen of a vault, or nil.
    ///
    /// - Parameter vaultID: the vault.
    package func newestGeneration(of vaultID: [UInt8]) -> UInt64? { record(of: vaultID)?.newest.generation }

    /// How many vaults and paths are known.
    package var counts: (vaults: Int, paths: Int) { (records.count, places.count) }

    // MARK: Asking

    /// Judges a file by what was known before it was read, and by what is known after.
    ///
    /// The state must have been read before the file: then whatever it says of the vault was on the disk by then. What
    /// was created or accepted meanwhile is expected too, so it is looked at once more before a file is called unexpected.
    ///
    /// - Parameters:
    ///   - sighting: what the file showed.
    ///   - path: where it was, or nil when that cannot be told.
    ///   - isOpenedByCode: whether a recovery code opened it, not its passphrase.
    ///   - before: the state as it was before the file was read.
    ///   - after: reads the state again; called only if the first one is against the file.
    /// - Returns: what is unexpected about the file, or nil.
    package static func finding(
        _ sighting: FreshnessSighting, at path: [UInt8]?, isOpenedByCode: Bool = false, before: FreshnessState,
        after: () -> FreshnessState
    ) -> FreshnessFinding? {
        guard let first = before.finding(sighting, at: path, isOpenedByCode: isOpenedByCode) else { return nil }
        let after = after()
        guard before.expects(sighting.vaultID, at: path) || after.expects(sighting.vaultID, at: path) else {
            return .replaced
        }
        guard let earlier = before.finding(sighting, at: nil, isOpenedByCode: isOpenedByCode) else { return nil }
        guard after.finding(sighting, at: nil, isOpenedByCode: isOpenedByCode) != nil else { return nil }
        return first == .replaced ? earlier : first
    }

    /// Judges a file by what is known.
    ///
    /// - Returns: the first of *replaced*, *rolledBack*, *forked* and *rekeyed* that applies, or nil.
    package func finding(
        _ sighting: FreshnessSighting, at path: [UInt8]?, isOpenedByCode: Bool = false
    ) -> FreshnessFinding? {
        guard expects(sighting.vaultID, at: path) else { return .replaced }
        guard let record = record(of: sighting.vaultID) else { return nil }
        let newest = record.newest
        if sighting.generation < newest.generation || record.replaced.contains(sighting.commitment) {
            return .rolledBack(newest: newest.generation)
        }
        if sighting.generation == newest.generation && sighting.check != newest.check { return .forked }
        return isOpenedByCode && sighting.commitment != newest.commitment ? .rekeyed : nil
    }

    private func expects(_ vaultID: [UInt8], at path: [UInt8]?) -> Bool {
        guard let place = place(of: path) else { return true }
        return place.vaultID == vaultID
    }

    private func place(of path: [UInt8]?) -> Place? {
        guard let path else { return nil }
        return places.first { $0.path == path }
    }

    func record(of vaultID: [UInt8]) -> Record? { records.first { $0.newest.vaultID == vaultID } }

    /// Whether two states say the same of a vault and a path.
    package func agrees(with other: FreshnessState, on vaultID: [UInt8], at path: [UInt8]?) -> Bool {
        record(of: vaultID) == other.record(of: vaultID) && place(of: path) == other.place(of: path)
    }

    // MARK: Changing

    /// Records a file that was found good, or that was saved. It only goes forward, whoever comes late.
    ///
    /// - Parameters:
    ///   - sighting: what the file showed.
    ///   - path: where it was; a path at which another vault was seen meanwhile is left alone.
    package mutating func record(_ sighting: FreshnessSighting, at path: [UInt8]?) {
        if let path, place(of: path) == nil { add(Place(path: path, vaultID: sighting.vaultID)) }
        guard var record = record(of: sighting.vaultID) else {
            return add(Record(newest: sighting, replaced: []))
        }
        let isKnownKey = sighting.commitment == record.newest.commitment
        guard !record.replaced.contains(sighting.commitment) else { return }
        if sighting.generation > record.newest.generation {
            if !isKnownKey { record.replaced.append(record.newest.commitment) }
            record.newest = sighting
        } else if sighting.generation < record.newest.generation && !isKnownKey {
            // Another process has recorded a later save already, with the key that replaced this one.
            record.replaced.append(sighting.commitment)
        } else {
            return
        }
        add(record)
    }

    /// Takes a file as it is for what is to be expected from now on: it was created, or accepted by a person.
    ///
    /// - Parameters:
    ///   - sighting: what the file showed.
    ///   - path: where it is, or nil when that cannot be told.
    package mutating func accept(_ sighting: FreshnessSighting, at path: [UInt8]?) {
        if let path { add(Place(path: path, vaultID: sighting.vaultID)) }
        var replaced = record(of: sighting.vaultID)?.replaced ?? []
        if let position = replaced.firstIndex(of: sighting.commitment) {
            // An older key is in force again; those that came before it are not.
            replaced.removeSubrange(position...)
        } else if let newest = record(of: sighting.vaultID)?.newest, newest.commitment != sighting.commitment {
            replaced.append(newest.commitment)
        }
        add(Record(newest: sighting, replaced: replaced))
    }

    /// Puts a record in the place of that of the same vault, as the one that changed last.
    private mutating func add(_ record: Record) {
        var record = record
        record.replaced.removeFirst(max(record.replaced.count - Self.maximumReplaced, 0))
        records.removeAll { $0.newest.vaultID == record.newest.vaultID }
        records.removeFirst(max(records.count - Self.maximumVaults + 1, 0))
        records.append(record)
    }

    private mutating func add(_ place: Place) {
        guard (1...Self.maximumPathLength).contains(place.path.count) else { return }
        places.removeAll { $0.path == place.path }
        places.removeFirst(max(places.count - Self.maximumPaths + 1, 0))
        places.append(place)
    }
}
