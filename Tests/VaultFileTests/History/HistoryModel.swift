import PropertyLists
import SecureMemory
import TestSupport
import VaultFile

/// What a vault knows, as plain Swift values, and the rules of the format over again in the plainest way.
struct HistoryModel {
    struct Last {
        var saved: Int64
        var value: PlainValue
        /// What a stranger keeps in the entry.
        var unknown: [[UInt8]: PlainValue] = [:]
    }

    static let day: Int64 = 86_400_000

    var settings: [[UInt8]: PlainValue] = [:]
    /// Nil when some other program changed the settings: then nothing is known of ages and last values.
    var ages: [[UInt8]: Int64]?
    var removed: [[UInt8]: Int64] = [:]
    var previous: [[UInt8]: Last] = [:]
    var unknown: [[UInt8]: PlainValue] = [:]

    /// Begins a save: what is stale goes, and so do tombstones that are too old.
    mutating func begin(now: Int64) {
        if ages == nil {
            previous = [:]
            ages = settings.mapValues { _ in 0 }
        }
        removed = removed.filter { _, time in
            let counted = time > now + Self.day ? now : max(time, 0)
            return now - counted <= 365 * Self.day
        }
    }

    mutating func set(_ name: [UInt8], _ value: PlainValue, now: Int64) {
        removed[name] = nil
        if settings[name] == value { return }
        if let old = settings[name] { note(old, under: name, now: now) } else { previous[name] = nil }
        settings[name] = value
        ages?[name] = now
    }

    private mutating func note(_ value: PlainValue, under name: [UInt8], now: Int64) {
        previous[name] = Last(saved: now, value: value, unknown: previous[name]?.unknown ?? [:])
    }

    mutating func remove(_ name: [UInt8], undoable: Bool, now: Int64) {
        guard let old = settings.removeValue(forKey: name) else { return }
        removed[name] = now
        ages?[name] = nil
        if undoable { note(old, under: name, now: now) } else { previous[name] = nil }
    }

    mutating func rename(_ old: [UInt8], to new: [UInt8], now: Int64) {
        guard old != new, let value = settings.removeValue(forKey: old) else { return }
        if let replaced = settings[new] { note(replaced, under: new, now: now) } else { previous[new] = previous[old] }
        previous[old] = nil
        settings[new] = value
        let age = ages?[old]
        ages?[new] = age
        ages?[old] = nil
        removed[old] = now
        removed[new] = nil
    }

    /// Swaps, or brings back; false when there is nothing to undo.
    mutating func undo(_ name: [UInt8], now: Int64) -> Bool {
        guard let last = previous[name] else { return false }
        if settings[name] != last.value { ages?[name] = now }
        if let current = settings[name] { note(current, under: name, now: now) } else { previous[name] = nil }
        settings[name] = last.value
        removed[name] = nil
        return true
    }

    /// The metadata as they have to be; nil when a digest is due that the model does not know.
    func metadata(modified: PlainValue?) -> [[UInt8]: PlainValue] {
        var result = unknown
        result[Array("modified".utf8)] = modified
        if !removed.isEmpty { result[Array("removed".utf8)] = .dictionary(removed.mapValues { .integer($0) }) }
        if !previous.isEmpty {
            result[Array("previous".utf8)] = .dictionary(
                previous.mapValues { last in
                    var entry = last.unknown
                    entry[Array("saved".utf8)] = .integer(last.saved)
                    entry[Array("value".utf8)] = last.value
                    return .dictionary(entry)
                })
        }
        return result
    }

    /// The times of `modified`, in the order of the names.
    var times: [Int64] { settings.keys.sorted { $0.lexicographicallyPrecedes($1) }.map { ages?[$0] ?? 0 } }
}

extension VaultPlaintext {
    /// A plaintext that some other program wrote.
    static func made(settings: [UInt8], metadata: [UInt8], generation: UInt64 = 1) throws -> VaultPlaintext {
        let header =
            [UInt8](repeating: 9, count: idLength) + generation.littleEndianBytes
            + UInt32(settings.count).littleEndianBytes + UInt32(metadata.count).littleEndianBytes
        let used = header + settings + metadata
        var plaintext = try GuardedBuffer(count: Padding.padded(used.count))
        plaintext.copy(from: used.rawSpan, at: 0)
        return try VaultPlaintext(plaintext)
    }

    /// The same bytes, read and checked as from a file.
    func reread() throws -> VaultPlaintext { try VaultPlaintext(GuardedBuffer(copying: bytes)) }

    func plainSettings() throws -> PlainValue { try PlainValue(0, of: PropertyListReader(trusted: settings)) }

    func plainMetadata() throws -> [[UInt8]: PlainValue] {
        guard metadata.byteCount > 0 else { return [:] }
        guard case .dictionary(let entries) = try PlainValue(0, of: PropertyListReader(trusted: metadata)) else {
            return [:]
        }
        return entries
    }
}

/// Changes of a save, gathered for one call.
struct Changes {
    private(set) var changes: [SettingsChange] = []
    private(set) var values: [UInt8] = []

    mutating func add(
        _ name: [UInt8], _ value: PlainValue?, origin: [UInt8]?? = nil,
        _ predecessor: SettingsChange.Predecessor = .implied
    ) throws {
        var range: Range<Int>?
        if let value {
            let start = values.count
            values += try value.list()
            range = start..<values.count
        }
        changes.append(SettingsChange(name: name, value: range, origin: origin ?? name, predecessor: predecessor))
        changes.sort { $0.name.lexicographicallyPrecedes($1.name) }
    }

    func apply(to plaintext: VaultPlaintext, now: Int64) throws -> VaultPlaintext {
        try plaintext.next(changes: changes, values: values.rawSpan, now: now)
    }
}
