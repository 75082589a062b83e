import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// Random saves, by this library and by strangers, against a model in plain Swift.
@Suite struct RandomHistoryTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
            return z ^ z >> 31
        }
    }

    private static let names = ["a", "b", "c/d", "\u{E9}", "\u{FFFD}", "\u{1F511}", "zz"].map { Array($0.utf8) }

    private static func value(_ generator: inout Generator) -> PlainValue {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .integer(Int64.random(in: -2...2, using: &generator))
        case 1: .string(["", "x", "\u{E4}"].randomElement(using: &generator) ?? "")
        case 2: .data([UInt8](repeating: 7, count: Int.random(in: 0..<40, using: &generator)))
        case 3: .array([.boolean(true), .array([.integer(1)])])
        case 4: .dictionary([Array("k".utf8): .string("v"), []: .array([])])
        default: .real(0)
        }
    }

    /// One random save of one name, or of two where one is renamed.
    private func step(
        _ model: inout HistoryModel, _ plaintext: VaultPlaintext, now: Int64, _ generator: inout Generator
    ) throws -> VaultPlaintext? {
        let name = Self.names.randomElement(using: &generator) ?? []
        let isThere = model.settings[name] != nil
        var changes = Changes()
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...4:
            let value = Self.value(&generator)
            model.begin(now: now)
            model.set(name, value, now: now)
            try changes.add(name, value)
        case 5...6:
            let undoable = Bool.random(using: &generator)
            guard isThere else { return nil }
            model.begin(now: now)
            model.remove(name, undoable: undoable, now: now)
            try changes.add(name, nil, undoable ? .setting(name) : .none)
        case 7:
            let new = Self.names.randomElement(using: &generator) ?? []
            guard let value = model.settings[name], new != name else { return nil }
            let isTaken = model.settings[new] != nil
            model.begin(now: now)
            model.rename(name, to: new, now: now)
            try changes.add(name, nil, .none)
            try changes.add(new, value, origin: name, isTaken ? .setting(new) : .implied)
        default:
            let object = try plaintext.previousValue(of: name.rawSpan)
            model.begin(now: now)
            let last = model.previous[name]?.value
            #expect((object == nil) == (last == nil))
            guard let object, let last else { return nil }
            let kept = try PlainValue(object, of: PropertyListReader(trusted: plaintext.metadata))
            #expect(kept == last)
            let isUndone = model.undo(name, now: now)
            #expect(isUndone)
            if isThere {
                try changes.add(name, last, .setting(name))
            } else {
                try changes.add(name, last, origin: .some(nil), SettingsChange.Predecessor.none)
            }
        }
        return try changes.apply(to: plaintext, now: now)
    }

    /// A save by a program that changes the settings and leaves the metadata alone.
    private func stranger(
        _ model: inout HistoryModel, _ plaintext: VaultPlaintext, _ generator: inout Generator
    ) throws -> VaultPlaintext {
        model.settings[Self.names[0]] = .string("by a stranger \(UInt8.random(in: 0...255, using: &generator))")
        model.ages = nil
        return try .made(
            settings: PlainValue.dictionary(model.settings).list(),
            metadata: plaintext.metadata.byteCount == 0 ? [] : plaintext.metadata.array,
            generation: plaintext.generation + 1)
    }

    /// A save by a program that keeps the ages and adds keys of its own.
    private func annotator(
        _ model: inout HistoryModel, _ plaintext: VaultPlaintext, _ generator: inout Generator
    ) throws -> VaultPlaintext {
        model.unknown[Array("x-note".utf8)] = Self.value(&generator)
        if let name = model.previous.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }).first {
            model.previous[name]?.unknown[Array("by".utf8)] = Self.value(&generator)
        }
        let modified = try plaintext.plainMetadata()[Array("modified".utf8)]
        return try .made(
            settings: PlainValue.dictionary(model.settings).list(),
            metadata: PlainValue.dictionary(model.metadata(modified: modified)).list(),
            generation: plaintext.generation + 1)
    }

    @Test("ages, tombstones and last values follow every change, whoever else writes", arguments: 0..<40)
    func sequences(seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        var model = HistoryModel()
        var plaintext = try VaultPlaintext.beforeFirst()
        var now: Int64 = 1_700_000_000_000
        for _ in 0..<60 {
            now += [1, 1_000, HistoryModel.day, 200 * HistoryModel.day].randomElement(using: &generator) ?? 1
            let wasOwn: Bool
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                plaintext = try stranger(&model, plaintext, &generator)
                wasOwn = false
            case 1 where model.ages != nil:
                plaintext = try annotator(&model, plaintext, &generator)
                wasOwn = false
            default:
                guard let next = try step(&model, plaintext, now: now, &generator) else { continue }
                // Now and then as another process finds it.
                plaintext = Bool.random(using: &generator) ? next : try next.reread()
                wasOwn = true
            }
            #expect(try plaintext.plainSettings() == .dictionary(model.settings))
            let times = try plaintext.modified(0..<model.settings.count, now: now)
            #expect(times == model.times.map { $0 == 0 ? nil : $0 })
            guard wasOwn else { continue }
            let modified = try Self.modified(model, plaintext)
            #expect(try plaintext.plainMetadata() == model.metadata(modified: modified))
        }
    }

    /// D and the times, from the settings as they stand.
    private static func modified(_ model: HistoryModel, _ plaintext: VaultPlaintext) throws -> PlainValue {
        let digest = try BLAKE2b.digest("coffer1-ages", of: plaintext.settings, digestLength: 16)
        return .data(digest + model.times.flatMap { UInt64(bitPattern: $0).littleEndianBytes })
    }
}
