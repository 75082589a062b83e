internal import PropertyLists
internal import SecureMemory

extension Metadata {
    /// A dictionary without entries, which stands for metadata that is not there.
    static let empty: [UInt8] =
        Array("bplist00".utf8) + [0xD0, 0x08] + [UInt8](repeating: 0, count: 6) + [1, 1]
        + UInt64(1).bigEndianBytes + UInt64(0).bigEndianBytes + UInt64(9).bigEndianBytes

    /// What becomes of the metadata at a save that changes no settings: all is kept.
    ///
    /// Only last values that do not belong to the settings are dropped.
    ///
    /// - Parameters:
    ///   - metadata: a checked dictionary, or nothing.
    ///   - isCurrent: whether `modified` belongs to the settings.
    /// - Returns: the new metadata; of length 0 when nothing remains.
    static func kept(_ metadata: RawSpan, isCurrent: Bool) throws(VaultFileError) -> GuardedBuffer {
        guard metadata.byteCount > 0 else { return try GuardedBuffer(length: 0) }
        let stale = isCurrent ? [] : [DictionaryMerge.Change(Array("previous".utf8), nil)]
        return try merged(metadata, stale, values: RawSpan())
    }

    /// Merges one key into the metadata.
    ///
    /// - Parameter list: the new value as a whole list.
    static func replacing(
        _ key: String, with list: RawSpan, in metadata: RawSpan
    ) throws(VaultFileError) -> GuardedBuffer {
        let change = DictionaryMerge.Change(name: Array(key.utf8), value: 0..<list.byteCount)
        return try merged(metadata, [change], values: list)
    }

    /// Whether `modified` is there and belongs to these settings.
    package static func isCurrent(_ metadata: RawSpan, settings: RawSpan) throws(VaultFileError) -> Bool {
        guard metadata.byteCount > 0 else { return false }
        let reader = PropertyListReader(trusted: metadata)
        guard let modified = reader.find("modified", in: 0) else { return false }
        return try isAges(reader.data(modified), of: settings)
    }

    /// Writes a merged dictionary; writers leave out one without entries.
    private static func merged(
        _ base: RawSpan, _ changes: [DictionaryMerge.Change], values: RawSpan
    ) throws(VaultFileError) -> GuardedBuffer {
        do throws(PropertyListError) {
            let merge = try DictionaryMerge(
                base: base, changes: changes, values: values, maximumDepth: Limits.metadataDepth, names: .any)
            return try written(merge)
        } catch {
            throw VaultFileError(writing: error, maximumDepth: Limits.metadataDepth)
        }
    }

    private static func written(_ merge: DictionaryMerge) throws(PropertyListError) -> GuardedBuffer {
        do throws(SecureMemoryError) {
            guard merge.entryCount > 0 else { return try GuardedBuffer(count: 0) }
            var buffer = try GuardedBuffer(count: merge.byteCount)
            merge.write(into: &buffer, at: 0)
            return buffer
        } catch {
            throw PropertyListError(.outOfMemory)
        }
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }
}
