package import PropertyLists
package import SecureMemory

extension Metadata {
    /// What becomes of the metadata at a save, by a writer that keeps neither ages nor last values.
    ///
    /// With a change of settings, ages and last values no longer belong to them and are dropped, and so are tombstones
    /// of what is set again. Without one, they are dropped only if they were stale before. All else is kept.
    ///
    /// - Parameters:
    ///   - metadata: a checked dictionary, or nothing.
    ///   - settings: the settings before the save.
    ///   - changes: what the save changes in them.
    /// - Returns: the new metadata; of length 0 when nothing remains.
    package static func kept(
        _ metadata: RawSpan, settings: RawSpan, changes: [DictionaryMerge.Change]
    ) throws(VaultFileError) -> GuardedBuffer {
        guard metadata.byteCount > 0 else { return try GuardedBuffer(length: 0) }
        let reader = PropertyListReader(trusted: metadata)
        var removed: [DictionaryMerge.Change] = []
        let isStale = try isStale(reader, settings: settings)
        if isStale || !changes.isEmpty {
            removed = ["modified", "previous"].map { DictionaryMerge.Change(name: Array($0.utf8), value: nil) }
        }
        guard let tombstones = reader.find("removed", in: 0) else {
            return try merged(metadata, removed, values: RawSpan())
        }
        let remaining = try without(changes, tombstones, of: reader)
        let range = remaining.count == 0 ? nil : 0..<remaining.count
        removed.append(DictionaryMerge.Change(name: Array("removed".utf8), value: range))
        return try merged(metadata, removed, values: remaining.bytes)
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

    /// Whether last values stand beside settings that they do not belong to.
    private static func isStale(
        _ reader: PropertyListReader, settings: RawSpan
    ) throws(VaultFileError) -> Bool {
        guard reader.find("previous", in: 0) != nil else { return false }
        guard let modified = reader.find("modified", in: 0) else { return true }
        return try !isAges(reader.data(modified), of: settings)
    }

    /// The tombstones but for names that are set again, as a list of their own; of length 0 when none remains.
    private static func without(
        _ changes: [DictionaryMerge.Change], _ tombstones: Int, of reader: PropertyListReader
    ) throws(VaultFileError) -> GuardedBuffer {
        let all: GuardedBuffer
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            try builder.copy(tombstones, of: reader)
            all = try builder.finish(maximumDepth: Limits.metadataDepth)
        } catch {
            throw VaultFileError(writing: error, maximumDepth: Limits.metadataDepth)
        }
        let set = changes.filter { $0.value != nil }.map { DictionaryMerge.Change(name: $0.name, value: nil) }
        return try merged(all.bytes, set, values: RawSpan())
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
