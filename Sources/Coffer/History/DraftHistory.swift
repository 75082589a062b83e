internal import VaultFile

/// What a draft knows of its changes beyond their values: which setting lives on in which, and what an undo brings back.
struct DraftHistory {
    /// Where a value stands that is not that of a setting any more.
    enum Place {
        /// Among the draft's values.
        case value(Range<Int>)
        /// As the value that a setting has before the update.
        case setting(SettingName)

        var predecessor: SettingsChange.Predecessor {
            switch self {
            case .value(let range): .value(range)
            case .setting(let name): .setting(name.utf8)
            }
        }
    }

    /// Where a setting comes from.
    struct Lineage {
        /// The setting before the update that lives on in it; nil for one that is new.
        var origin: SettingName?
        var predecessor: SettingsChange.Predecessor
    }

    /// The lineage of names that are not simply their own.
    private var lineages: [SettingName: Lineage] = [:]
    /// What was removed in a way that can be undone.
    private(set) var undoable: [SettingName: Place] = [:]

    func lineage(of name: SettingName) -> Lineage {
        lineages[name] ?? Lineage(origin: name, predecessor: .implied)
    }

    /// Notes that a name stands for a value of another lineage from now on.
    mutating func set(_ lineage: Lineage, for name: SettingName) {
        lineages[name] = lineage
        undoable[name] = nil
    }

    /// Notes that a name is removed, and what of it can be brought back.
    ///
    /// What is gone for good does not live on in a value that gets the name later.
    mutating func remove(_ name: SettingName, keeping place: Place?) {
        if place == nil { lineages[name] = Lineage(origin: nil, predecessor: .none) }
        undoable[name] = place
    }

    /// Notes that what was removed is back, with the lineage that it had.
    mutating func bringBack(_ name: SettingName) { undoable[name] = nil }

    /// What the save is to make of a name.
    func change(_ name: SettingName, _ value: Range<Int>?) -> SettingsChange {
        guard value != nil else {
            return SettingsChange(
                name: name.utf8, value: nil, origin: nil, predecessor: undoable[name]?.predecessor ?? .none)
        }
        let lineage = lineage(of: name)
        return SettingsChange(
            name: name.utf8, value: value, origin: lineage.origin?.utf8, predecessor: lineage.predecessor)
    }
}
