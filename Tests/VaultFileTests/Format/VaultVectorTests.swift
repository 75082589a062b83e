import CSodium
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// What must come of each vault of the vectors, through the readers and writers of this package.
@Suite struct VaultVectorTests {
    @Test("there are vectors in every folder", arguments: [("v1", 250), ("independent", 94), ("golden", 1)])
    func present(folder: String, least: Int) throws {
        let places = try VectorFile.places(in: folder)
        #expect(places.count >= least)
        // Each of them is a case of the tests below.
        #expect(VectorFile.everywhere.filter { $0.folder == folder } == places)
    }

    @Test("each file gives its class, with field, value and bound", arguments: VectorFile.everywhere)
    func outcome(of place: VectorFile.Place) throws {
        let vector = try place.load()
        let reading = try VectorReading(vector, vault: vector.vault)
        #expect(reading.outcome == vector.expectation.rawValue, "\(vector.text(.comment) ?? "")")
        let numbers = reading.numbers
        #expect(numbers.field == vector.text(.field))
        #expect(numbers.value == vector.number(.value))
        #expect(numbers.bound == vector.number(.bound))
        if case .rolledBack(let newest) = reading.finding { #expect(newest == vector.number(.knownGeneration)) }
    }

    @Test("each file has its intermediate values, as far as a reader comes", arguments: VectorFile.everywhere)
    func intermediates(of place: VectorFile.Place) throws {
        let vector = try place.load()
        let bytes = vector.vault
        let reading = try VectorReading(vector, vault: bytes)
        #expect(reading.seed == vector.bytes(.seed))
        #expect(reading.fingerprint == vector.bytes(.fingerprint))
        if let seed = reading.seed, let secret = vector.bytes(.recipientSecret) {
            let recipient = try Recipient(seed: seed.rawSpan, ownerFingerprint: [])
            let key = recipient.key
            #expect(key == vector.bytes(.recipientPublic))
            #expect(X25519.publicKey(of: secret.rawSpan) == key)
        }

        let master = try reading.key?.withBytes { $0.array }
        #expect(master == vector.bytes(.master))
        #expect(try reading.key?.commitment() == vector.bytes(.commitment))
        if let expected = vector.bytes(.sealingKey), let header = reading.header, let key = reading.key {
            let sealingKey = try key.sealingKey(boundTo: bytes.rawSpan.extracting(header.boundRange))
            let found = sealingKey.bytes.array
            #expect(found == expected)
            #expect(header.nonce == vector.bytes(.nonce))
        }
        #expect(reading.contents?.vaultID == vector.bytes(.vaultID))
        #expect(reading.contents?.generation == vector.number(.generation))
        if let check = vector.bytes(.check) { #expect(reading.header?.check == check) }
    }

    @Test("a slot opens with its own key, and is the first that does", arguments: VectorFile.everywhere)
    func slot(of place: VectorFile.Place) throws {
        let vector = try place.load()
        guard let number = vector.number(.slot), let seed = vector.bytes(.seed), let master = vector.bytes(.master),
            let fingerprint = vector.bytes(.fingerprint)
        else { return }
        let header = try VaultHeader(vector.vault.rawSpan)
        let recipient = try Recipient(seed: seed.rawSpan, ownerFingerprint: fingerprint)
        var first: Int?
        for (index, slot) in header.slots.enumerated() where first == nil {
            if try recipient.open(slot, to: master) { first = index }
        }
        #expect(first == Int(number))
        let slot = try #require(header.slots.indices.contains(Int(number)) ? header.slots[Int(number)] : nil)
        let key = try #require(try recipient.keyBytes(of: slot))
        #expect(key == vector.bytes(.slotKey))
    }

    @Test(
        "settings and metadata have the lengths, digests and values that the header gives",
        arguments: VectorFile.everywhere)
    func values(of place: VectorFile.Place) throws {
        let vector = try place.load()
        guard vector.expectation == .success else { return }
        let contents = try #require(try VectorReading(vector, vault: vector.vault).contents)
        let (settings, metadata) = (contents.settings.array, contents.metadata.array)
        let padding = contents.bytes.byteCount - VaultPlaintext.headerLength - settings.count - metadata.count
        #expect(UInt64(settings.count) == vector.number(.settingsLength))
        #expect(UInt64(metadata.count) == vector.number(.metadataLength))
        #expect(UInt64(padding) == vector.number(.paddingLength))
        #expect(Self.sha256(settings) == vector.bytes(.settings))
        if !metadata.isEmpty { #expect(Self.sha256(metadata) == vector.bytes(.metadata)) }
        for (list, word) in [(settings, VectorWord.settingsJSON), (metadata, .metadataJSON)] where !list.isEmpty {
            let value = try PlainValue(0, of: PropertyListReader(trusted: list.rawSpan))
            if let expected = vector.list(word) {
                #expect(value == expected)
                // From the vector's values alone, so it is no copy of what was read.
                #expect(try expected.list() == list)
            }
            #expect(try value.list() == list, "encoded again")
        }
    }

    @Test("each success is made again, byte for byte, with the same randomness", arguments: VectorFile.everywhere)
    func sealsAgain(_ place: VectorFile.Place) throws {
        let vector = try place.load()
        guard let random = vector.bytes(.random32) else { return }
        let bytes = vector.vault
        let reading = try VectorReading(vector, vault: bytes)
        let (key, header) = (try #require(reading.key), try #require(reading.header))
        let sealingKey = try key.sealingKey(boundTo: bytes.rawSpan.extracting(header.boundRange))
        let opened = try SecretBox.open(
            bytes.rawSpan.extracting(header.boxRange), nonce: header.nonce.rawSpan, key: sealingKey.bytes)
        guard let plaintext = opened else {
            Issue.record("the box does not open")
            return
        }
        let file = try SealedVault.seal(plaintext.bytes, key: key, slots: header.slots, random: random.rawSpan)
        let made = file.bytes.bytes.array
        let sealed = file.header
        #expect(made == bytes)
        #expect(sealed == header)
    }

    private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe bytes.withUnsafeBufferPointer { bytes in
            _ = unsafe crypto_hash_sha256(&digest, bytes.baseAddress, UInt64(bytes.count))
        }
        return digest
    }
}

extension Recipient {
    /// Whether a slot holds this master key for the recipient.
    fileprivate borrowing func open(_ slot: Slot, to master: [UInt8]) throws -> Bool {
        guard let found = try open(slot) else { return false }
        return found.bytes.equals(master.rawSpan)
    }

    fileprivate borrowing func keyBytes(of slot: Slot) throws -> [UInt8]? {
        guard let key = try key(of: slot) else { return nil }
        return key.bytes.array
    }
}
