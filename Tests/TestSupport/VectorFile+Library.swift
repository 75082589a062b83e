package import Coffer
import Foundation
import VaultFile

extension VectorFile {
    /// Puts the vault of the vector into a directory of its own, with what the reader knows of it.
    package func placed() throws -> TemporaryVault {
        let place = try TemporaryVault(create: false)
        try place.write(body)
        if let zeros = number(.appendZeros) {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: place.path))
            try handle.truncate(atOffset: UInt64(body.count) + zeros)
            try handle.close()
        }
        let known = try knownState(at: Array(place.path.utf8))
        if known != FreshnessState() {
            try FreshnessStore(stateDirectory: place.stateDirectory.path).update { $0 = known }
        }
        return place
    }
}

extension VaultError {
    /// The class by its name in the file format; empty for what no file alone can cause.
    package var className: String {
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
        case .rolledBack: "rolledBack"
        case .forked: "forked"
        case .replaced: "replaced"
        case .rekeyed: "rekeyed"
        case .noMatchingSlot: "noMatchingSlot"
        case .refused: "refused"
        default: ""
        }
    }
}

extension PlainValue {
    /// What the library makes of a value.
    package init(_ value: StoredValue) {
        switch value {
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value.bitPattern)
        case .string(let value): self = .string(value)
        case .date(let value): self = .date(value.secondsSince2001.bitPattern)
        case .data(let value): self = .data(value.bytes)
        case .array(let elements): self = .array(elements.map { PlainValue($0) })
        case .dictionary(let entries):
            self = .dictionary(
                Dictionary(uniqueKeysWithValues: entries.map { (Array($0.key.utf8), PlainValue($0.value)) }))
        }
    }

    /// Whether Swift can tell all keys in it apart: it takes for one what looks the same.
    package var hasDistinctKeys: Bool {
        switch self {
        case .array(let elements): elements.allSatisfy(\.hasDistinctKeys)
        case .dictionary(let entries):
            Set(entries.keys.map { String(decoding: $0, as: UTF8.self) }).count == entries.count
                && entries.values.allSatisfy(\.hasDistinctKeys)
        default: true
        }
    }
}
