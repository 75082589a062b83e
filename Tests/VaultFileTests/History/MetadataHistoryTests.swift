import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// The rules of the history one by one, and what gives way when a vault is full.
@Suite struct MetadataHistoryTests {
    private let a = Array("a".utf8)
    private let b = Array("b".utf8)
    private let now: Int64 = 1_700_000_000_000

    private func keys(_ plaintext: VaultPlaintext) throws -> [String] {
        try plaintext.plainMetadata().keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    private func entries(_ key: String, of plaintext: VaultPlaintext) throws -> [[UInt8]: PlainValue] {
        guard case .dictionary(let entries)? = try plaintext.plainMetadata()[Array(key.utf8)] else { return [:] }
        return entries
    }

    private func saved(_ plaintext: VaultPlaintext, now: Int64, _ make: (inout Changes) throws -> Void) throws
        -> VaultPlaintext
    {
        var changes = Changes()
        try make(&changes)
        return try changes.apply(to: plaintext, now: now).reread()
    }

    @Test("a vault without metadata gets ages with its next change, and nothing without one")
    func firstMetadata() throws {
        let settings = try PlainValue.dictionary([a: .integer(1), b: .integer(2)]).list()
        let old = try VaultPlaintext.made(settings: settings, metadata: [])
        let unchanged = try old.next(changes: [], values: RawSpan(), now: now)
        #expect(unchanged.metadata.byteCount == 0)
        #expect(try old.modified(0..<2, now: now) == [nil, nil])
        let next = try saved(old, now: now) { try $0.add(b, .integer(3)) }
        #expect(try next.modified(0..<2, now: now) == [nil, now])
        #expect(try keys(next) == ["modified", "previous"])
    }

    @Test("a set to an equal value keeps age and last value, of leaves and of containers")
    func equalValue() throws {
        let nested = PlainValue.array([.dictionary([a: .string("x")]), .data([1])])
        var vault = try saved(.beforeFirst(), now: now) {
            try $0.add(a, .integer(1))
            try $0.add(b, .integer(1))
        }
        vault = try saved(vault, now: now + 1) {
            try $0.add(a, .integer(2))
            try $0.add(b, nested)
        }
        let before = try vault.plainMetadata()
        let after = try saved(vault, now: now + 2) {
            try $0.add(a, .integer(2))
            try $0.add(b, nested)
        }
        #expect(try after.plainMetadata() == before)
        // A number of another type is another value.
        let other = try saved(vault, now: now + 2) { try $0.add(a, .real(Double(2).bitPattern)) }
        #expect(try other.modified(0..<1, now: now + 2) == [now + 2])
    }

    @Test("times out of their range count as the format says, and never overflow")
    func times() {
        let day = MetadataTime.day
        #expect(MetadataTime.counted(-1, now: 5) == 0)
        #expect(MetadataTime.counted(.min, now: 5) == 0)
        #expect(MetadataTime.counted(5 + day, now: 5) == 5 + day)
        #expect(MetadataTime.counted(6 + day, now: 5) == 5)
        #expect(MetadataTime.counted(.max, now: .max) == .max)
        #expect(MetadataTime.counted(.max, now: .min) == 0)
        #expect(MetadataTime.age(of: .min, now: .max) == .max)
        #expect(MetadataTime.age(of: .max, now: .min) == 0)
        #expect(MetadataTime.age(of: 5 + day, now: 5) == 0)
    }

    @Test("tombstones of over a year go with any change, those of names that exist do not hurt")
    func tombstones() throws {
        let year = 365 * MetadataTime.day
        let removed: [[UInt8]: PlainValue] = [
            Array("exactly a year".utf8): .integer(now - year), Array("older".utf8): .integer(now - year - 1),
            Array("ahead".utf8): .integer(.max), Array("before all".utf8): .integer(.min), b: .integer(now - 9),
            Array("\u{E9}lder".utf8): .integer(3),
        ]
        let settings = try PlainValue.dictionary([b: .integer(2)]).list()
        let metadata = try PlainValue.dictionary([Array("removed".utf8): .dictionary(removed)]).list()
        let old = try VaultPlaintext.made(settings: settings, metadata: metadata)
        let next = try saved(old, now: now) { try $0.add(a, .integer(3)) }
        let left = try entries("removed", of: next).keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
        #expect(left == ["ahead", "b", "exactly a year"])
        let gone = try saved(next, now: now) { try $0.add(b, nil) }
        #expect(try entries("removed", of: gone)[b] == .integer(now))
        let all = try saved(old, now: now + 2 * year) { try $0.add(b, .integer(2)) }
        // Its time is ahead of this clock too, so it counts as now.
        #expect(try entries("removed", of: all).count == 1)
    }

    @Test("a clock that stands before 1970 gives unknown ages and no failure")
    func brokenClock() throws {
        var vault = try saved(.beforeFirst(), now: .min) { try $0.add(a, .integer(1)) }
        vault = try saved(vault, now: .min) { try $0.add(a, nil) }
        vault = try saved(vault, now: .max) { try $0.add(b, .integer(1)) }
        vault = try saved(vault, now: .max) { try $0.add(b, .integer(2)) }
        #expect(try vault.modified(0..<1, now: now) == [now])
        #expect(try vault.modified(0..<1, now: .min) == [nil])
    }

    @Test("a last value that is nested too deep for the metadata is left out, and the save stands")
    func deep() throws {
        let deepest = (0..<31).reduce(PlainValue.boolean(true)) { inner, _ in .array([inner]) }
        var vault = try saved(.beforeFirst(), now: now) { try $0.add(a, deepest) }
        vault = try saved(vault, now: now) { try $0.add(a, .integer(1)) }
        #expect(try entries("previous", of: vault).count == 1)
        // Only a predecessor that never was a setting can be deeper.
        var values = try PlainValue.integer(2).list()
        let start = values.count
        values += try PlainValue.array([deepest]).list()
        let change = SettingsChange(name: a, value: 0..<start, origin: a, predecessor: .value(start..<values.count))
        let next = try vault.next(changes: [change], values: values.rawSpan, now: now)
        #expect(try keys(next.reread()) == ["modified"])
    }

    @Test("settings that pass a limit by themselves still fail")
    func tooDeep() throws {
        let tooDeep = (0..<32).reduce(PlainValue.boolean(true)) { inner, _ in .array([inner]) }
        #expect(throws: VaultFileError.limitExceeded(field: "depth", value: 33, bound: 32)) {
            _ = try saved(.beforeFirst(), now: now) { try $0.add(a, tooDeep) }
        }
    }
}
