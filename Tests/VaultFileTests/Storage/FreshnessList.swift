import PropertyLists
import SecureMemory
import VaultFile

/// The list of a freshness state, right unless it is changed: written by hand, not by the code under test.
struct FreshnessList {
    static let digest = [UInt8](repeating: 1, count: 32)
    static let id = [UInt8](repeating: 1, count: 16)

    /// An id or path for each number.
    static func id(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    var version: Int64 = 1
    var hasMoreKeys = false
    var ids = [id]
    var generation: Int64 = 1
    var commitment = digest
    var replaced: [[UInt8]] = []
    var paths: [[UInt8]] = [[0x61]]
    var pathID = id

    func bytes() throws(PropertyListError) -> [UInt8] {
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        try builder.key("version")
        try builder.integer(version)
        if hasMoreKeys {
            try builder.key("more")
            try builder.integer(1)
        }
        try builder.key("vaults")
        try builder.beginArray()
        for id in ids {
            try builder.beginDictionary()
            try builder.key("id")
            try builder.data(id.rawSpan)
            try builder.key("generation")
            try builder.integer(generation)
            try builder.key("check")
            try builder.data(Self.digest.rawSpan)
            try builder.key("commitment")
            try builder.data(commitment.rawSpan)
            try builder.key("replaced")
            try builder.beginArray()
            for commitment in replaced { try builder.data(commitment.rawSpan) }
            try builder.endArray()
            try builder.endDictionary()
        }
        try builder.endArray()
        try builder.key("paths")
        try builder.beginArray()
        for path in paths {
            try builder.beginDictionary()
            try builder.key("id")
            try builder.data(pathID.rawSpan)
            try builder.key("path")
            try builder.data(path.rawSpan)
            try builder.endDictionary()
        }
        try builder.endArray()
        try builder.endDictionary()
        let list = try builder.finish()
        return unsafe list.bytes.withUnsafeBytes { unsafe Array($0) }
    }
}

extension PropertyListBuilder {
    fileprivate mutating func key(_ name: String) throws(PropertyListError) { try key(utf8: Array(name.utf8).rawSpan) }
}
