import Coffer
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// Names that another program wrote decomposed, which the format lets it.
@Suite struct SpellingTests {
    private static let decomposed = "e\u{301}/a"
    private static let composed = "\u{E9}/b"

    /// A vault with one name in each form.
    private func session() throws -> CofferSession {
        let session = try CofferSession(passphrase: nil)
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: TemporaryVault.cheap)
        var values = try GuardedArena()
        let value = try LeafList.append(integer: 7, to: &values)
        // In the order of their bytes, where e stands before its composed form.
        let changes = [Self.decomposed, Self.composed].map {
            SettingsChange(name: Array($0.utf8), value: value)
        }
        let plaintext = try VaultPlaintext.beforeFirst().next(changes: changes, values: values.bytes, now: 0)
        let random = [UInt8](repeating: 1, count: 32)
        let file = try SealedVault.seal(plaintext.bytes, key: key, slots: [], random: random.rawSpan)
        try session.fixture.write(file.bytes.bytes.array)
        return session
    }

    @Test("a prefix finds names in its own spelling and in the composed one")
    func prefix() throws {
        let session = try session()
        let both = try session.run(["list", "e\u{301}"]).bytes
        #expect(both == Array("\(Self.decomposed)\tinteger\n\(Self.composed)\tinteger\n".utf8))
        let one = try session.run(["list", "\u{E9}"]).bytes
        #expect(one == Array("\(Self.composed)\tinteger\n".utf8))
    }

    @Test("one setting asked for in two spellings stands once in JSON, two settings twice")
    func json() throws {
        let session = try session()
        let one = try session.run(["get", "\u{E9}/b", "e\u{301}/b", "--json"])
        #expect(one.bytes == Array("{\n  \"\(Self.composed)\": 7\n}\n".utf8))
        let two = try session.run(["get", Self.decomposed, Self.composed, "--json"])
        let text = "{\n  \"\(Self.decomposed)\": 7,\n  \"\(Self.composed)\": 7\n}\n"
        #expect(two.bytes == Array(text.utf8))
        #expect(try session.run(["get", "\u{E9}/a"]).code == 16)
    }
}
