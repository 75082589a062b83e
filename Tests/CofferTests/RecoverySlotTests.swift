import Coffer
import Foundation
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// A change of passphrase on vaults that others made, with slots and with metadata of their own.
@Suite struct RecoverySlotTests {
    private func place(_ name: String) throws -> TemporaryVault {
        try VectorFile.Place("independent", name).load().placed()
    }

    private func header(of place: TemporaryVault) throws -> VaultHeader {
        let bytes = try place.bytes()
        return try VaultHeader(bytes.rawSpan)
    }

    @Test(
        "an ordinary save copies all slots byte for byte, unknown ones too",
        arguments: [
            "slots_passphrase", "slot_unknown_type",
        ])
    func copied(name: String) throws {
        let place = try place(name)
        let before = try header(of: place)
        let vault = try place.unlocked()
        try vault.update { draft in draft.set(.username, to: "ann") }
        let after = try header(of: place)
        #expect(before.slots.isEmpty == false)
        #expect(after.slots == before.slots)
        #expect(after.keyDerivation == before.keyDerivation)
    }

    @Test(
        "slots that nobody can remake are dropped with a change of passphrase, and counted",
        arguments: [
            ("slots_passphrase", 2), ("slot_unknown_type", 1),
        ])
    func dropped(name: String, count: Int) throws {
        let place = try place(name)
        let vault = try place.unlocked()
        let change = try vault.changePassphrase(to: Secret.text("a new passphrase"), derivation: TemporaryVault.cheap)
        #expect(change.droppedSlots == count)
        #expect(change.remadeSlots == 0)
        #expect(try header(of: place).slots == [])
        #expect(try vault[SettingKey("user", default: "")] == "alice")
    }

    @Test("a recipient in the metadata opens the vault after a change of passphrase")
    func remade() throws {
        let place = try TemporaryVault(create: false)
        let seed = (0..<16).map { UInt8($0) }
        let owner = [UInt8](repeating: 7, count: 32)
        let ownerKey = X25519.publicKey(of: owner.rawSpan)
        let fingerprint = try Owner.fingerprint(of: ownerKey.rawSpan)
        let recipient = try Recipient(seed: seed.rawSpan, ownerFingerprint: fingerprint)
        // One good recipient, and one whose key is of low order.
        let metadata = try Self.metadata(owner: owner, keys: [recipient.key, [UInt8](repeating: 0, count: 32)])
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: TemporaryVault.cheap)
        let plaintext = try VaultPlaintext.beforeFirst().next(metadata: metadata.bytes)
        let random = [UInt8](repeating: 1, count: 32)
        let file = try SealedVault.seal(plaintext.bytes, key: key, slots: [], random: random.rawSpan)
        try place.write(file.bytes.bytes.array)

        let vault = try place.unlocked()
        let change = try vault.changePassphrase(to: Secret.text("a new passphrase"), derivation: TemporaryVault.cheap)
        #expect(change.remadeSlots == 1)
        #expect(change.droppedRecipients == 1)
        let bytes = try place.bytes()
        let header = try VaultHeader(bytes.rawSpan)
        let found = try MasterKey.find(for: recipient, in: header)
        let opened = try SealedVault.open(bytes.rawSpan, header: header, key: found)
        #expect(opened.generation == 2)
        let reader = PropertyListReader(trusted: opened.metadata)
        let remaining = reader.find("recipients", in: 0).map { reader.count(of: $0) }
        #expect(remaining == 1)
    }

    private static func metadata(owner: [UInt8], keys: [[UInt8]]) throws -> GuardedBuffer {
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        let words = (owner: Array("owner".utf8), recipients: Array("recipients".utf8))
        let inner = (key: Array("key".utf8), label: Array("label".utf8))
        try builder.key(utf8: words.owner.rawSpan)
        try builder.data(owner.rawSpan)
        try builder.key(utf8: words.recipients.rawSpan)
        try builder.beginArray()
        for (index, key) in keys.enumerated() {
            try builder.beginDictionary()
            try builder.key(utf8: inner.key.rawSpan)
            try builder.data(key.rawSpan)
            try builder.key(utf8: inner.label.rawSpan)
            let label = Array("recipient \(index)".utf8)
            try builder.string(utf8: label.rawSpan)
            try builder.endDictionary()
        }
        try builder.endArray()
        try builder.endDictionary()
        return try builder.finish(maximumDepth: 34)
    }

    @Test("a save writes ages, and keeps of the metadata what it does not change")
    func metadataAtSave() throws {
        // The last values of this one are stale, since it has no ages.
        let cases = [
            ("meta_previous", ["modified"]), ("meta_removed", ["modified", "removed"]),
            ("meta_recipients", ["modified", "owner", "recipients"]),
        ]
        for (name, keys) in cases {
            let place = try place(name)
            try place.unlocked(FixedWallClock()).update { draft in draft.set(.username, to: "ann") }
            #expect(try Self.metadataKeys(of: place) == keys, "\(name)")
        }
        let place = try place("metadata")
        let before = try Self.metadataKeys(of: place)
        try place.unlocked(FixedWallClock()).update { draft in draft.set(.username, to: "ann") }
        #expect(try Self.metadataKeys(of: place) == before)
    }

    @Test("a tombstone goes when its name is set again, and only that one")
    func tombstones() throws {
        let place = try place("meta_removed")
        try place.unlocked(FixedWallClock()).update { draft in draft.set(SettingKey("gone", default: 0), to: 1) }
        #expect(try Self.metadataKeys(of: place) == ["modified"])
    }

    @Test("a change of passphrase drops last values only if they were stale")
    func metadataAtPassphraseChange() throws {
        for (name, keys) in [("meta_previous", []), ("metadata", nil as [String]?)] {
            let place = try place(name)
            let before = try Self.metadataKeys(of: place)
            try place.unlocked().changePassphrase(
                to: Secret.text(TemporaryVault.passphrase), derivation: TemporaryVault.cheap)
            #expect(try Self.metadataKeys(of: place) == keys ?? before, "\(name)")
        }
    }

    private static func metadataKeys(of place: TemporaryVault) throws -> [String] {
        let bytes = try place.bytes()
        let header = try VaultHeader(bytes.rawSpan)
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: header.keyDerivation)
        let opened = try SealedVault.open(bytes.rawSpan, header: header, key: key)
        guard opened.metadata.byteCount > 0 else { return [] }
        let reader = PropertyListReader(trusted: opened.metadata)
        var keys: [String] = []
        for index in 0..<reader.count(of: 0) { keys.append(try PlainValue.text(reader.key(index), of: reader)) }
        return keys
    }
}
