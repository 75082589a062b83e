import SecureMemory
import TestSupport
import Testing

/// NFC against Unicode's own test; Tests/Vectors/external/README.md names the source.
@Suite struct NormalizationVectorTests {
    struct Rows: Decodable { let rows: [String] }

    @Test("text is composed as Unicode's own test says")
    func nfc() throws {
        let rows = try ExternalFile.normalization.load(as: Rows.self).rows
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
