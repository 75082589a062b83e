import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// Saves that their history would make too large.
@Suite struct FullVaultTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let megabyte = 1 << 20

    /// Sets a name to so many equal bytes.
    private func set(
        _ name: String, _ size: Int, _ byte: UInt8 = 0, in plaintext: VaultPlaintext
    ) throws -> VaultPlaintext {
        var data = try GuardedBuffer(count: size)
        data.store(byte, at: 0)
        var values = try GuardedArena(capacity: size + 64)
        let range = try LeafList.append(data: data.bytes, to: &values)
        let change = SettingsChange(name: Array(name.utf8), value: range)
        return try plaintext.next(changes: [change], values: values.bytes, now: Self.now)
    }

    private func canUndo(_ name: String, in plaintext: VaultPlaintext) throws -> Bool {
        let name = Array(name.utf8)
        return try plaintext.previousValue(of: name.rawSpan) != nil
    }

    @Test("a value that has no room beside its successor is left out, and others stay")
    func largeValue() throws {
        var vault = try VaultPlaintext.beforeFirst()
        for byte: UInt8 in [1, 2] { vault = try set("small", 10, byte, in: vault) }
        vault = try set("large", 20 * Self.megabyte, 0, in: vault)
        vault = try set("large", 30 * Self.megabyte, 1, in: vault)
        #expect(try canUndo("large", in: vault))
        vault = try set("large", 40 * Self.megabyte, 2, in: vault)
        // What was kept of it is older than what was replaced now, so it goes too.
        #expect(try canUndo("large", in: vault) == false)
        #expect(try canUndo("small", in: vault))
        #expect(try vault.modified(0..<2, now: Self.now) == [Self.now, Self.now])
        #expect(vault.bytes.byteCount < 42 * Self.megabyte)
    }

    @Test("all last values give way to settings that need their room")
    func allValues() throws {
        var vault = try VaultPlaintext.beforeFirst()
        for byte: UInt8 in [1, 2] { vault = try set("a", 20 * Self.megabyte, byte, in: vault) }
        #expect(try canUndo("a", in: vault))
        vault = try set("b", 30 * Self.megabyte, in: vault)
        #expect(try canUndo("a", in: vault) == false)
        #expect(try vault.modified(0..<2, now: Self.now) == [Self.now, Self.now])
    }

    @Test("tombstones give way to settings that need their room, and then ages too")
    func tombstones() throws {
        let names = (0..<2_000).map { Array("\($0)".utf8) + [UInt8](repeating: 0x6E, count: 1_000) }
        let removed = Dictionary(uniqueKeysWithValues: names.map { ($0, PlainValue.integer(Self.now)) })
        var vault = try VaultPlaintext.made(
            settings: PlainValue.dictionary([:]).list(),
            metadata: PlainValue.dictionary([Array("removed".utf8): .dictionary(removed)]).list())
        // With the tombstones of two megabytes it fits first, and then does not.
        vault = try set("a", 61 * Self.megabyte, in: vault)
        #expect(try vault.plainMetadataKeys() == ["modified", "removed"])
        vault = try set("a", 63 * Self.megabyte, in: vault)
        #expect(try vault.plainMetadataKeys() == ["modified"])
        // Header 32, list 8 + 3 + 2, head of the data 6, table 12, trailer 32: the rest is the value.
        let most = 67_108_864 - 32 - 13 - 6 - 12 - 32
        vault = try set("a", most, in: vault)
        #expect(vault.metadata.byteCount == 0)
        #expect(vault.bytes.byteCount == 67_108_864)
        #expect(throws: VaultFileError.limitExceeded(field: "box_len", value: 67_108_881, bound: 67_108_880)) {
            _ = try set("a", most + 1, in: vault)
        }
        // With room again, ages come back.
        vault = try set("a", 10, in: vault)
        #expect(try vault.modified(0..<1, now: Self.now) == [Self.now])
    }
}

extension VaultPlaintext {
    /// The keys of the metadata in their order.
    fileprivate func plainMetadataKeys() throws -> [String] {
        guard metadata.byteCount > 0 else { return [] }
        let reader = PropertyListReader(trusted: metadata)
        return try (0..<reader.count(of: 0)).map { try PlainValue.text(reader.key($0), of: reader) }
    }
}
