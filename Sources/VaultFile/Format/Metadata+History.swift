internal import PropertyLists
internal import SecureMemory

/// How much of the history a save writes: all of it, or less where it would pass a limit.
///
/// A save never fails for the history's sake. What it would add goes first, then every last value, then the tombstones,
/// then the ages.
enum HistoryExtent: CaseIterable {
    case all
    /// Without the last values that this save would add.
    case oldValues
    case noValues
    case agesAlone
    case nothing
}

/// What a save with changes makes of `modified`, `removed` and `previous`.
///
/// Specified in the file format, *Metadata*.
struct MetadataHistory: ~Escapable {
    /// What becomes of the age of a setting that the save sets.
    enum Age { case now, carried(Int) }

    /// What becomes of one name.
    private struct Outcome {
        let name: [UInt8]
        let isSet: Bool
        let isGone: Bool
        /// What to do with the last value of the name; nil leaves it as it is.
        let previous: Previous?
    }

    private enum Previous {
        case dropped
        /// The entry of another name, which was renamed.
        case carried(Int)
        case replaced(DictionaryMerge.Value)
    }

    private let metadata: PropertyListReader
    private let now: Int64
    /// The last values, if they belong to the settings.
    private let previous: Int?
    private let removed: Int?
    private var outcomes: [Outcome] = []
    /// The ages of the settings that are set, in the order of the changes; nil for a removal.
    private(set) var ages: [Age?] = []

    /// - Parameters:
    ///   - changes: ascending by the bytes of their names.
    ///   - values: what the changes name, checked.
    ///   - settings: the settings before the save.
    ///   - metadata: the metadata before the save: a checked dictionary.
    ///   - isCurrent: whether `modified` belongs to these settings.
    ///   - now: the present.
    @_lifetime(copy metadata)
    init(
        of changes: [SettingsChange], values: RawSpan, settings: PropertyListReader, metadata: PropertyListReader,
        isCurrent: Bool, now: Int64
    ) {
        self.metadata = metadata
        self.now = max(now, 0)
        previous = isCurrent ? metadata.find("previous", in: 0) : nil
        removed = metadata.find("removed", in: 0)
        outcomes.reserveCapacity(changes.count)
        ages.reserveCapacity(changes.count)
        for change in changes {
            let own = settings.find(change.name.rawSpan)
            let origin = change.origin == change.name ? own : change.origin.flatMap { settings.find($0.rawSpan) }
            var isUnchanged = false
            if let value = change.value, let origin {
                let list = PropertyListReader(trusted: values.extracting(value))
                isUnchanged = settings.isEqual(origin.value, to: list, 0)
                ages.append(isUnchanged ? .carried(origin.index) : .now)
            } else {
                ages.append(change.value == nil ? nil : .now)
            }
            let outcome = Outcome(
                name: change.name, isSet: change.value != nil, isGone: change.value == nil && own != nil,
                previous: Self.previous(
                    of: change, origin: origin?.value, isUnchanged: isUnchanged, in: settings, entries: previous,
                    of: metadata))
            outcomes.append(outcome)
        }
    }

    private static func previous(
        of change: SettingsChange, origin: Int?, isUnchanged: Bool, in settings: PropertyListReader, entries: Int?,
        of metadata: PropertyListReader
    ) -> Previous? {
        switch change.predecessor {
        case .none: return .dropped
        case .value(let range): return .replaced(.list(range))
        case .setting(let name):
            return settings.find(name.rawSpan).map { .replaced(.other($0.value)) } ?? .dropped
        case .implied:
            guard change.value != nil, let origin else { return .dropped }
            guard isUnchanged else { return .replaced(.other(origin)) }
            if change.origin == change.name { return nil }
            guard let entries, let name = change.origin, let entry = metadata.find(name.rawSpan, in: entries) else {
                return .dropped
            }
            return .carried(entry.value)
        }
    }

    /// What to change in the metadata.
    ///
    /// - Parameters:
    ///   - extent: how much of the history to keep.
    ///   - count: the number of settings after the save.
    func changes(_ extent: HistoryExtent, settingsCount count: Int) -> [DictionaryMerge.Change] {
        var modified: DictionaryMerge.Value?
        if extent != .nothing { modified = .room(Metadata.digestLength + 8 * count) }
        return [
            DictionaryMerge.Change(Array("modified".utf8), modified),
            DictionaryMerge.Change(Array("previous".utf8), previousValue(extent)),
            DictionaryMerge.Change(Array("removed".utf8), removedValue(extent)),
        ]
    }

    private func previousValue(_ extent: HistoryExtent) -> DictionaryMerge.Value? {
        guard extent == .all || extent == .oldValues else { return nil }
        var changes: [DictionaryMerge.Change] = []
        for outcome in outcomes {
            switch outcome.previous {
            case nil: continue
            case .dropped: changes.append(.init(outcome.name, nil))
            case .carried(let entry): changes.append(.init(outcome.name, .base(entry)))
            case .replaced(let value):
                changes.append(.init(outcome.name, extent == .all ? entry(value, under: outcome.name) : nil))
            }
        }
        return dictionary(previous, changes)
    }

    /// An entry with a last value; what others keep in the entry of that name stays in it.
    private func entry(_ value: DictionaryMerge.Value, under name: [UInt8]) -> DictionaryMerge.Value {
        let old = previous.flatMap { metadata.find(name.rawSpan, in: $0)?.value }
        return .dictionary(
            of: old, [.init(Array("saved".utf8), .integer(now)), .init(Array("value".utf8), value)])
    }

    private func removedValue(_ extent: HistoryExtent) -> DictionaryMerge.Value? {
        guard extent != .agesAlone, extent != .nothing else { return nil }
        var changes: [DictionaryMerge.Change] = []
        for outcome in outcomes where outcome.isSet || outcome.isGone {
            changes.append(.init(outcome.name, outcome.isGone ? .integer(now) : nil))
        }
        return dictionary(removed, merged(expired(), changes))
    }

    /// The removal of tombstones that are over a year old.
    private func expired() -> [DictionaryMerge.Change] {
        guard let removed else { return [] }
        var changes: [DictionaryMerge.Change] = []
        for index in 0..<metadata.count(of: removed) {
            let time = metadata.integer(metadata.value(index, of: removed))
            guard MetadataTime.age(of: time, now: now) > MetadataTime.tombstoneLife else { continue }
            changes.append(.init(metadata.utf8(of: metadata.key(index, of: removed)), nil))
        }
        return changes
    }

    /// Two rows of changes in one order; where both have a name, the second counts.
    private func merged(
        _ first: [DictionaryMerge.Change], _ second: [DictionaryMerge.Change]
    ) -> [DictionaryMerge.Change] {
        guard !first.isEmpty else { return second }
        var result: [DictionaryMerge.Change] = []
        var rest = first[...]
        for change in second {
            while let next = rest.first, next.name.lexicographicallyPrecedes(change.name) {
                result.append(next)
                rest = rest.dropFirst()
            }
            if rest.first?.name == change.name { rest = rest.dropFirst() }
            result.append(change)
        }
        return result + rest
    }

    /// A dictionary of the metadata with changes; nil when nothing would be left in it.
    private func dictionary(_ object: Int?, _ changes: [DictionaryMerge.Change]) -> DictionaryMerge.Value? {
        var count = object.map { metadata.count(of: $0) } ?? 0
        for change in changes {
            let isThere = object.map { metadata.find(change.name.rawSpan, in: $0) != nil } ?? false
            if isThere { count -= 1 }
            if change.value != nil { count += 1 }
        }
        guard count > 0 else { return nil }
        // Left where it is, it is copied in one block.
        if let object, changes.isEmpty { return .base(object) }
        return .dictionary(of: object, changes)
    }
}

extension PropertyListReader {
    /// The bytes of a key in UTF-8. Names are handled as ordinary values everywhere.
    fileprivate func utf8(of key: Int) -> [UInt8] {
        if let ascii = asciiBytes(of: key) { return ascii.array(0..<ascii.byteCount) }
        let bytes = text(key).bytes
        let units = (0..<bytes.byteCount / 2).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
