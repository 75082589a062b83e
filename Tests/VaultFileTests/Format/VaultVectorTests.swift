import Foundation
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// One vault file with what must come of it.
struct VaultVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Intermediate: Decodable, Sendable {
        let master: Hex?
        let commit: Hex?
        let nonce: Hex?
        let seal_key: Hex
        let header: Hex?
        let check: Hex?
        let plain_head: Hex?
    }

    let name: String
    let expect: String
    let passphrase: Hex
    let seed: Hex?
    let owner_fp: Hex?
    let file: Hex
    let file_len: Int
    let intermediate: Intermediate?
    let generation: UInt64?
    let vault_id: Hex?
    let settings_sha256: Hex?
    let settings: PlainValue?
    let metadata: PlainValue?

    var testDescription: String { name }

    struct Set: Decodable {
        struct Code: Decodable, Sendable {
            let text: String
            let seed: Hex?
            let owner_fp: Hex?
            let expect: String?
        }
        let vectors: [VaultVector]
        let recovery_codes: [Code]
    }

    static let set = Result { try Repository.json("v1.json", as: Set.self) }
    static let all = (try? set.get().vectors) ?? []
    static let successes = all.filter { $0.expect == "ok" }

    /// Opens the file, by its recovery seed where it has one.
    func open() throws(VaultFileError) -> (key: MasterKey, header: VaultHeader, contents: VaultPlaintext) {
        let bytes = file.bytes
        let header = try VaultHeader(bytes.rawSpan)
        let key: MasterKey
        if let seed, let owner_fp {
            let recipient = try Recipient(seed: seed.bytes.rawSpan, ownerFingerprint: owner_fp.bytes)
            key = try MasterKey.find(for: recipient, in: header)
        } else {
            key = try MasterKey(passphrase: passphrase.bytes.rawSpan, keyDerivation: header.keyDerivation)
        }
        return (key, header, try SealedVault.open(bytes.rawSpan, header: header, key: key))
    }
}

extension VaultFileError {
    /// The class by its name in the file format.
    var className: String {
        switch self {
        case .notAVault: "notAVault"
        case .unsupportedVersion: "unsupportedVersion"
        case .unsupportedFeature: "unsupportedFeature"
        case .damaged: "damaged"
        case .limitExceeded: "limitExceeded"
        case .notEnoughMemory: "notEnoughMemory"
        case .wrongPassphrase: "wrongPassphrase"
        case .tampered: "tampered"
        case .invalidContents: "invalidContents"
        case .noMatchingSlot: "noMatchingSlot"
        case .refused: "refused"
        case .memory: "memory"
        }
    }
}

@Suite struct VaultVectorTests {
    @Test("the vectors are there")
    func present() throws {
        let set = try VaultVector.set.get()
        #expect(set.vectors.count >= 87)
        #expect(set.recovery_codes.count >= 7)
    }

    @Test("each file gives its class", arguments: VaultVector.all)
    func outcome(of vector: VaultVector) {
        #expect(vector.file.bytes.count == vector.file_len)
        do throws(VaultFileError) {
            let opened = try vector.open()
            #expect(vector.expect == "ok")
            if let generation = vector.generation { #expect(opened.contents.generation == generation) }
            if let id = vector.vault_id { #expect(opened.contents.vaultID == id.bytes) }
        } catch {
            #expect(error.className == vector.expect)
        }
    }

    @Test("each success has its intermediate values", arguments: VaultVector.successes)
    func intermediates(of vector: VaultVector) throws {
        let (key, header, _) = try vector.open()
        let bytes = vector.file.bytes
        guard let expected = vector.intermediate else { return }
        let sealingKey = try key.sealingKey(boundTo: bytes.rawSpan.extracting(header.boundRange))
        let sealingKeyBytes = sealingKey.bytes.array
        #expect(sealingKeyBytes == expected.seal_key.bytes)
        if let master = expected.master {
            let bytes = try key.withBytes { $0.array }
            #expect(bytes == master.bytes)
        }
        if let commit = expected.commit { #expect(try key.commitment() == commit.bytes) }
        if let nonce = expected.nonce { #expect(header.nonce == nonce.bytes) }
        if let check = expected.check { #expect(header.check == check.bytes) }
    }

    @Test("sealing the same plaintext gives the same file", arguments: VaultVector.successes)
    func sealsAgain(_ vector: VaultVector) throws {
        // Two boxes of the salamander cannot come from a derived nonce.
        guard !vector.name.hasPrefix("salamander") else { return }
        let (key, header, contents) = try vector.open()
        var random = (0x80...0x9F).map { UInt8($0) }
        if vector.name == "generation-2" { random.reverse() }
        let file = try SealedVault.seal(contents.bytes, key: key, slots: header.slots, random: random.rawSpan)
        let bytes = file.bytes.bytes.array
        let sealed = file.header
        #expect(bytes == vector.file.bytes)
        #expect(sealed == header)
    }

    @Test("settings and metadata have the values that the writer meant")
    func values() throws {
        var compared = 0
        for vector in VaultVector.successes {
            let contents = try vector.open().contents
            if let settings = vector.settings {
                #expect(try PlainValue(0, of: PropertyListReader(trusted: contents.settings)) == settings)
                compared += 1
            }
            if let metadata = vector.metadata {
                #expect(try PlainValue(0, of: PropertyListReader(trusted: contents.metadata)) == metadata)
                compared += 1
            }
        }
        #expect(compared > 20)
    }

    @Test("recovery codes are read as people type them")
    func recoveryCodes() throws {
        for code in try VaultVector.set.get().recovery_codes {
            let text = Array(code.text.utf8)
            do throws(VaultFileError) {
                let read = try RecoveryCode(text.rawSpan)
                let seed = read.seed.bytes.array
                let fingerprint = read.ownerFingerprint
                #expect(code.expect == nil)
                #expect(seed == code.seed?.bytes)
                #expect(fingerprint == code.owner_fp?.bytes)
            } catch {
                #expect(error.className == code.expect)
            }
        }
    }
}
