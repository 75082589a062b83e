import SecureMemory
import TestSupport
import Testing
import VaultFile

/// X25519 against RFC 7748 and Wycheproof; Tests/Vectors/external/README.md names the sources.
@Suite struct X25519VectorTests {
    struct Vectors: Decodable {
        struct Shared: Decodable {
            let id: String
            let `private`: Hex
            let `public`: Hex
            let shared: Hex
            let valid: Bool
        }
        struct Pair: Decodable {
            let id: String
            let `private`: Hex
            let `public`: Hex
        }
        struct Iterated: Decodable {
            let id: String
            let start: Hex
            let count: Int
            let result: Hex
        }
        let shared: [Shared]
        let public_keys: [Pair]
        let iterated: [Iterated]
    }

    private func shared(_ secret: [UInt8], _ key: [UInt8]) throws -> [UInt8]? {
        switch try X25519.shared(secret: secret.rawSpan, publicKey: key.rawSpan) {
        case .some(let point): point.bytes.array
        case .none: nil
        }
    }

    @Test("two holders share what the suites say, and nothing where a public key is of low order")
    func sharing() throws {
        let vectors = try Repository.json("external/x25519.json", as: Vectors.self)
        #expect(vectors.shared.count == 522)
        // Zeros alone come from low order alone, and are refused.
        #expect(vectors.shared.filter { !$0.valid }.count == 31)
        for vector in vectors.shared {
            let found = try shared(vector.private.bytes, vector.public.bytes)
            #expect(found == (vector.valid ? vector.shared.bytes : nil), "\(vector.id)")
        }
        for pair in vectors.public_keys {
            let secret = pair.private.bytes
            #expect(X25519.publicKey(of: secret.rawSpan) == pair.public.bytes, "\(pair.id)")
        }
    }

    @Test("the function comes out right when it is fed with its own results")
    func iterated() throws {
        let vectors = try Repository.json("external/x25519.json", as: Vectors.self)
        #expect(vectors.iterated.map(\.count) == [1, 1_000])
        for vector in vectors.iterated {
            var (secret, key) = (vector.start.bytes, vector.start.bytes)
            for _ in 0..<vector.count { (secret, key) = (try #require(try shared(secret, key)), secret) }
            #expect(secret == vector.result.bytes, "\(vector.id)")
        }
    }
}
