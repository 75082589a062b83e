import Foundation
import SecureMemory
import TestSupport
import Testing

/// No file of the public vectors lies unused, and the README tells what is there.
@Suite struct ExternalFolderTests {
    /// What runs each file.
    private static let runners: [String: String] = [
        "argon2id.json": "ExternalVectorTests", "secretbox.json": "ExternalVectorTests",
        "blake2b256.json": "ExternalVectorTests", "blake2b-personal.json": "BLAKE2bVectorTests",
        "x25519.json": "X25519VectorTests", "nfc.json": "ExternalFolderTests",
    ]

    @Test("every file is run and is in the README with its number of entries")
    func files() throws {
        let folder = Repository.vectors.appendingPathComponent("external")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(Set(names) == Set(Self.runners.keys))
        let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        var counts: [String: Int] = [:]
        for line in readme.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasSuffix(".json`"), let count = Int(cells[2]) else { continue }
            counts[cells[0].trimmingCharacters(in: ["`"])] = count
        }
        #expect(Set(counts.keys) == Set(names))
        for name in names {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            let top = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let entries = top.filter { $0.key != "notes" }.values.compactMap { ($0 as? [Any])?.count }.reduce(0, +)
            #expect(counts[name] == entries, "\(name)")
        }
    }

    struct Rows: Decodable { let rows: [String] }

    @Test("text is composed as Unicode's own test says")
    func nfc() throws {
        let rows = try Repository.json("external/nfc.json", as: Rows.self).rows
        #expect(rows.count == 582)
        for row in rows {
            let columns = try row.split(separator: ";").map { column in
                try column.split(separator: " ").map {
                    try #require(UInt32($0, radix: 16).flatMap(Unicode.Scalar.init))
                }
            }
            try #require(columns.count == 5)
            let utf8 = columns.map { scalars in Array(String(String.UnicodeScalarView(scalars)).utf8) }
            // The source, its composed and its decomposed form; then the two compatibility forms.
            for (index, expected) in [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3)] {
                let bytes = utf8[index]
                let normal = try Normalization.nfc(bytes.rawSpan)
                let found = normal.bytes.array
                #expect(found == utf8[expected], "\(row)")
            }
        }
    }
}
