import SecureMemory
import TestSupport
import Testing
import VaultFile

/// The primitives against vectors of public test suites; Tests/Vectors/external/README.md names the sources.
@Suite struct ExternalVectorTests {
    struct Boxes: Decodable {
        struct Vector: Decodable {
            let id: String
            let key: Hex
            let nonce: Hex
            let message: Hex?
            let box: Hex
            let valid: Bool
        }
        let vectors: [Vector]
    }

    @Test("secretbox opens, seals and refuses as the suites say")
    func secretBox() throws {
        let set = try ExternalFile.secretBox.load(as: Boxes.self)
        #expect(set.vectors.count >= 31)
        for vector in set.vectors {
            let opened = try SecretBox.open(
                vector.box.bytes.rawSpan, nonce: vector.nonce.bytes.rawSpan, key: vector.key.bytes.rawSpan)
            let message: [UInt8]?
            switch opened {
            case .some(let buffer): message = buffer.bytes.array
            case .none: message = nil
            }
            #expect(message == (vector.valid ? vector.message?.bytes : nil), "\(vector.id)")
            guard vector.valid, let message else { continue }
            var box = [UInt8](repeating: 0, count: message.count + SecretBox.overhead)
            unsafe box.withUnsafeMutableBytes { box in
                unsafe SecretBox.seal(
                    message.rawSpan, nonce: vector.nonce.bytes.rawSpan, key: vector.key.bytes.rawSpan, into: box)
            }
            #expect(box == vector.box.bytes, "\(vector.id)")
        }
    }

    struct Derivations: Decodable {
        struct Vector: Decodable {
            let id: String
            let password: Hex
            let salt: Hex
            let outlen: Int
            let opslimit: UInt64
            let memlimit_bytes: UInt64
            let hash: Hex?
            let valid: Bool
        }
        let raw: [Vector]
    }

    @Test("Argon2id derives and refuses as the suites say")
    func argon2id() throws {
        let set = try ExternalFile.argon2id.load(as: Derivations.self)
        #expect(set.raw.count >= 24)
        for vector in set.raw {
            var found: [UInt8]?
            do throws(VaultFileError) {
                let key = try Argon2id.derive(
                    vector.password.bytes.rawSpan, salt: vector.salt.bytes.rawSpan, passes: vector.opslimit,
                    memoryBytes: vector.memlimit_bytes, length: vector.outlen)
                found = key.bytes.array
            } catch {
                #expect(error.className == "notEnoughMemory")
            }
            #expect(found == (vector.valid ? vector.hash?.bytes : nil), "\(vector.id)")
        }
    }

    struct Digests: Decodable {
        struct Vector: Decodable {
            let id: String
            let message: Hex?
            /// Spells a long message: byte i is i mod 251.
            let message_rule: String?
            let key: Hex
            let salt: Hex?
            let outlen: Int
            let hash: Hex

            var bytes: [UInt8]? {
                if let message { return message.bytes }
                guard let length = message_rule?.split(separator: " ").last.flatMap({ Int($0) }) else { return nil }
                return (0..<length).map { UInt8($0 % 251) }
            }
        }
        let keyed256: [Vector]
        let derived_keyed256: [Vector]
        let unkeyed: [Vector]
        let keyed512: [Vector]
        let keyed_other_lengths: [Vector]
    }

    @Test("BLAKE2b digests as the suites say")
    func blake2b() throws {
        let set = try ExternalFile.blake2b.load(as: Digests.self)
        let all = set.keyed256 + set.derived_keyed256 + set.unkeyed + set.keyed512 + set.keyed_other_lengths
        #expect(all.count >= 35)
        // The format has no salt, so its B takes none; two vectors of libsodium's own derivation do.
        let unsalted = all.filter { $0.salt == nil }
        #expect(unsalted.count == all.count - 2)
        for vector in unsalted {
            let message = try #require(vector.bytes)
            let digest = try BLAKE2b.digest(
                "", of: message.rawSpan, key: vector.key.bytes.rawSpan, digestLength: vector.outlen)
            #expect(digest == vector.hash.bytes, "\(vector.id)")
        }
    }

    @Test("Argon2id says that memory is missing, and is not mistaken for a wrong passphrase")
    func notEnoughMemory() throws {
        let salt = [UInt8](repeating: 0, count: 16)
        #expect(throws: VaultFileError.notEnoughMemory(memoryKiB: 4_294_967_295)) {
            _ = try Argon2id.derive(
                salt.rawSpan, salt: salt.rawSpan, passes: 1, memoryBytes: 4_398_046_510_080, length: 32)
        }
    }
}
