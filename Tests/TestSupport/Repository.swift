package import Foundation
package import SecureMemory

/// Where the files that tests read stand.
package enum Repository {
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static let vectors = root.appendingPathComponent("Tests/Vectors")

    /// Reads a JSON file of vectors.
    package static func json<Value: Decodable>(_ path: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(contentsOf: vectors.appendingPathComponent(path)))
    }
}

/// Bytes that a vector writes in hex. Test values are no secrets.
package struct Hex: Decodable, Sendable, Equatable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = [UInt8](hex: text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not hex"))
        }
        self.bytes = bytes
    }

    package var description: String { bytes.hex }
}

extension [UInt8] {
    package init?(hex text: String) {
        let digits = Array<UInt8>(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            append(byte)
        }
    }

    package var hex: String { map { String(format: "%02x", $0) }.joined() }
}

extension RawSpan {
    /// Copies bytes out of guarded memory, which only a test may do.
    package var array: [UInt8] { (0..<byteCount).map { self[$0] } }
}

extension GuardedBuffer {
    package init(_ bytes: [UInt8]) throws { try self.init(copying: bytes.rawSpan) }
}
