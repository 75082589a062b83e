package import Foundation

/// The files of vectors that others published, in Tests/Vectors/external: what a suite reads of them, it reads by this.
package enum ExternalFile: String, CaseIterable, Sendable {
    case argon2id = "argon2id.json"
    case blake2b = "blake2b256.json"
    case blake2bPersonal = "blake2b-personal.json"
    case normalization = "nfc.json"
    case secretBox = "secretbox.json"
    case x25519 = "x25519.json"

    /// Where they stand.
    package static let folder = Repository.vectors.appendingPathComponent("external")

    /// Reads the vectors of the file.
    package func load<Vectors: Decodable>(as type: Vectors.Type = Vectors.self) throws -> Vectors {
        try Repository.json("external/\(rawValue)")
    }
}
