import SecureMemory
import TestSupport
import Testing
import VaultFile

/// BLAKE2b with a personalisation, and the self-test of its RFC; Tests/Vectors/external/README.md names the sources.
@Suite struct BLAKE2bVectorTests {
    struct Vectors: Decodable {
        struct Vector: Decodable {
            let id: String
            let personal: String
            let key: Hex
            let message: Hex
            let outlen: Int
            let hash: Hex
        }
        struct SelfTest: Decodable {
            let lengths: [Int]
            let outlens: [Int]
            let hash: Hex
        }
        let vectors: [Vector]
        let selftest: [SelfTest]
    }

    // The function takes labels that are known when it is compiled, so that no label comes from a file.
    private static let labels: [String: StaticString] = [
        "": "", "personal": "personal", "MyApp Files Hash": "MyApp Files Hash", "MyApp Block Hash": "MyApp Block Hash",
        "ZcashPrevoutHash": "ZcashPrevoutHash", "ZcashSequencHash": "ZcashSequencHash",
        "ZcashOutputsHash": "ZcashOutputsHash",
    ]

    @Test("digests with key and personalisation are those that others published")
    func personal() throws {
        let vectors = try Repository.json("external/blake2b-personal.json", as: Vectors.self).vectors
        #expect(vectors.count == 13)
        #expect(Set(vectors.map(\.personal)) == Set(Self.labels.keys))
        for vector in vectors {
            let label = try #require(Self.labels[vector.personal])
            let digest = try BLAKE2b.digest(
                label, of: vector.message.bytes.rawSpan, key: vector.key.bytes.rawSpan, digestLength: vector.outlen)
            #expect(digest == vector.hash.bytes, "\(vector.id)")
            let secret = try BLAKE2b.secret(
                label, of: vector.message.bytes.rawSpan, key: vector.key.bytes.rawSpan, digestLength: vector.outlen)
            let bytes = secret.bytes.array
            #expect(bytes == digest, "\(vector.id)")
        }
    }

    @Test("the self-test of the RFC comes out right, in pieces too")
    func selfTest() throws {
        let vectors = try Repository.json("external/blake2b-personal.json", as: Vectors.self).selftest
        #expect(vectors.count == 1)
        for vector in vectors {
            var all = try BLAKE2b("", digestLength: 32)
            for outlen in vector.outlens {
                for length in vector.lengths {
                    let message = Self.sequence(length)
                    for key in [[], Self.sequence(outlen)] {
                        var hash = try BLAKE2b("", key: key.rawSpan, digestLength: outlen)
                        hash.update(message.rawSpan.extracting(first: length / 3))
                        hash.update(message.rawSpan.extracting(length / 3..<length))
                        let digest = hash.publicDigest()
                        all.update(digest.rawSpan)
                    }
                }
            }
            #expect(all.publicDigest() == vector.hash.bytes)
        }
    }

    /// The sequence of RFC 7693, appendix E.
    private static func sequence(_ length: Int) -> [UInt8] {
        var (a, b) = (0xDEAD_4BAD &* UInt32(length), UInt32(1))
        return (0..<length).map { _ in
            (a, b) = (b, a &+ b)
            return UInt8(b >> 24)
        }
    }
}
