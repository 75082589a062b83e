import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultFile

@Suite struct SlotTests {
    @Test("slots made with the writer's randomness are the writer's slots")
    func remade() throws {
        let vector = try VectorFile.Place("independent", "slots_passphrase").load()
        let reading = try VectorReading(vector, vault: vector.vault)
        let (key, header) = (try #require(reading.key), try #require(reading.header))
        // The writer's owner and first recipient: SHA-256 of "owner" and of "stranger".
        let owner = try #require([UInt8](hex: "4c1029697ee358715d3a14a2add817c4b01651440de808371f78165ac90dc581"))
        let stranger = try #require([UInt8](hex: "8aca4f36774f82a67c507cb9c96679482e2cc767f2d38502269557a566b092fb"))
        let seed = Array<UInt8>(0x40...0x4F)
        let ownerKey = X25519.publicKey(of: owner.rawSpan)
        let owned = try Owner.fingerprint(of: ownerKey.rawSpan)
        let second = try Recipient(seed: seed.rawSpan, ownerFingerprint: owned)
        let recipients = [X25519.publicKey(of: stranger.rawSpan), second.key]
        var slots: [Slot] = []
        for (recipient, byte) in zip(recipients, [0x11, 0x22] as [UInt8]) {
            let random = [UInt8](repeating: byte, count: 32)
            let slot = try key.withBytes { (master) throws(VaultFileError) in
                try Slot.seal(
                    master: master, for: recipient.rawSpan, owner: owner.rawSpan, random: random.rawSpan)
            }
            slots.append(try #require(slot))
        }
        #expect(slots == header.slots)
    }

    @Test("the metadata of a vector makes its slots again")
    func remadeFromMetadata() throws {
        let vector = try VectorFile.Place("v1", "slot_from_metadata").load()
        let reading = try VectorReading(vector, vault: vector.vault)
        let (key, header) = (try #require(reading.key), try #require(reading.header))
        guard case .dictionary(let metadata) = vector.list(.metadataJSON),
            case .data(let owner) = metadata[Array("owner".utf8)],
            case .array(let recipients) = metadata[Array("recipients".utf8)]
        else {
            Issue.record("the vector has no owner or no recipients")
            return
        }
        // The vector's comment says what its maker drew.
        let random = [UInt8](repeating: 0x22, count: 32)
        var slots: [Slot] = []
        for case .dictionary(let entry) in recipients {
            guard case .data(let recipient) = entry[Array("key".utf8)] else { continue }
            let slot = try key.withBytes { (master) throws(VaultFileError) in
                try Slot.seal(master: master, for: recipient.rawSpan, owner: owner.rawSpan, random: random.rawSpan)
            }
            slots.append(try #require(slot))
        }
        #expect(slots == header.slots)
        #expect(slots.count == 2)
    }

    @Test("a public key of low order makes no slot")
    func lowOrder() throws {
        let key = [UInt8](repeating: 5, count: 32)
        let zero = [UInt8](repeating: 0, count: 32)
        let slot = try Slot.seal(master: key.rawSpan, for: zero.rawSpan, owner: key.rawSpan, random: key.rawSpan)
        #expect(slot == nil)
    }
}
