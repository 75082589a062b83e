import Foundation
import PropertyLists

/// The files of the corpus with what is expected of them.
struct Corpus: Decodable {
    struct File: Decodable {
        let outcomes: [Outcome]
        let bytes: Int
        let maxSeconds: Double?
        let maxExtraMebibytes: Int?

        enum CodingKeys: String, CodingKey {
            case outcomes, bytes
            case maxSeconds = "max_seconds"
            case maxExtraMebibytes = "max_extra_mib"
        }
    }

    struct Outcome: Decodable {
        let ok: Expected?
        let error: String?
        let isUnchecked: Bool?

        enum CodingKeys: String, CodingKey {
            case ok, error
            case isUnchecked = "value_unchecked"
        }
    }

    let schema: String
    let files: [String: File]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    static func load() throws -> Corpus {
        try JSONDecoder().decode(Corpus.self, from: Data(contentsOf: folder.appending(path: "expected.json")))
    }

    /// The names of the lists that are there.
    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".bplist") }.sorted()
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }
}

/// A value as the corpus writes it in JSON.
struct Expected: Decodable {
    let value: Value

    private struct Wrapped: Decodable {
        let integer: String?
        let real: String?
        let data: Data?
        let seconds: Double?

        enum CodingKeys: String, CodingKey {
            case integer = "$int"
            case real = "$real"
            case data = "$data"
            case seconds = "$ref_seconds"
        }

        var value: Value? {
            if let integer { return Int64(integer).map(Value.integer) }
            if let real { return Double(real).map { Value.real($0) } }
            if let data { return .data(Array(data)) }
            return seconds.map(Value.date)
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self.value = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self.value = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self.value = .string(value)
        } else if let value = try? container.decode([Expected].self) {
            self.value = .array(value.map(\.value))
        } else if let value = (try? container.decode(Wrapped.self))?.value {
            self.value = value
        } else {
            let entries = try container.decode([String: Expected].self)
            value = .dictionary(
                Dictionary(uniqueKeysWithValues: entries.map { (Value.Key($0.key), $0.value.value) }))
        }
    }
}

extension PropertyListError.Code {
    /// The class of the corpus that this is.
    var corpusClass: String {
        switch self {
        case .notAPropertyList: "not-a-plist"
        case .truncated: "truncated"
        case .malformed, .notCanonical, .tooLarge, .tooManyObjects: "malformed"
        case .unsupportedType: "unsupported-type"
        case .tooDeep: "too-deep"
        case .duplicateKey: "duplicate-key"
        case .outOfMemory: "out-of-memory"
        }
    }
}
