import Coffer
import TestSupport
import Testing

/// A save that its history would make too large.
@Suite struct FullVaultTests {
    private let vault: Vault

    init() throws { vault = try TemporaryVault().unlocked() }

    /// Sets a secret of so many bytes.
    private func set(_ name: String, _ size: Int, _ byte: UInt8) throws {
        let secret = try Secret(copying: [UInt8](repeating: byte, count: size))
        try vault.update { draft in draft.set(SecretKey(name), to: secret) }
    }

    private func canUndo(_ name: String) throws -> Bool {
        try vault.update { draft in try draft.canUndo(name) }
    }

    private static let megabyte = 1 << 20

    @Test("a value that has no room beside its successor is left out, and others stay")
    func largeValue() throws {
        try set("small", 10, 1)
        try set("small", 10, 2)
        try set("large", 34 * Self.megabyte, 1)
        try set("large", 34 * Self.megabyte, 2)
        #expect(try vault.withBytes(of: SecretKey("large")) { $0[0] } == 2)
        #expect(try canUndo("large") == false)
        #expect(try canUndo("small"))
        #expect(try vault.modified("large") != nil)
    }

    @Test("all last values give way to settings that need their room")
    func allValues() throws {
        try set("a", 20 * Self.megabyte, 1)
        try set("a", 20 * Self.megabyte, 2)
        #expect(try canUndo("a"))
        try set("b", 30 * Self.megabyte, 1)
        #expect(try canUndo("a") == false)
        #expect(try vault.modified("a") != nil)
        #expect(try vault.withBytes(of: SecretKey("b")) { $0.byteCount } == 30 * Self.megabyte)
    }

    @Test("even the ages give way to settings that fill a vault to its last byte")
    func lastByte() throws {
        // Header 32, list 8 + 3 + 2, head of the data 6, table 12, trailer 32: the rest is the value.
        let most = 67_108_864 - 32 - 13 - 6 - 12 - 32
        try set("a", 1, 1)
        try set("a", most, 2)
        #expect(try vault.withBytes(of: SecretKey("a")) { $0.byteCount } == most)
        #expect(try vault.modified("a") == nil)
        #expect(throws: VaultError.limitExceeded(field: "box_len", value: 67_108_881, bound: 67_108_880)) {
            try set("a", most + 1, 3)
        }
        // With room again, ages come back.
        try set("a", 10, 4)
        #expect(try vault.modified("a") != nil)
    }
}
