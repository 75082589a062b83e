internal import PropertyLists
package import SecureMemory

extension Metadata {
    /// What becomes of the metadata at a save that changes settings: last values that are stale already are dropped.
    ///
    /// - Parameters:
    ///   - metadata: a checked dictionary, or nothing.
    ///   - settings: the settings before the change.
    /// - Returns: the new metadata, or nil when it stays as it is.
    package static func kept(
        _ metadata: RawSpan, settings: RawSpan
    ) throws(VaultFileError) -> GuardedBuffer? {
        guard metadata.byteCount > 0 else { return nil }
        let reader = PropertyListReader(trusted: metadata)
        guard reader.find("previous", in: 0) != nil else { return nil }
        if let modified = reader.find("modified", in: 0) {
            let digest = try BLAKE2b.digest("coffer1-ages", of: settings, digestLength: 16)
            if reader.data(modified).extracting(first: 16).equals(digest.rawSpan) { return nil }
        }
        return try replacing("previous", with: RawSpan(), in: metadata)
    }

    /// Merges one key into the metadata.
    ///
    /// - Parameter list: the new value as a whole list, or nothing to remove the key.
    static func replacing(
        _ key: String, with list: RawSpan, in metadata: RawSpan
    ) throws(VaultFileError) -> GuardedBuffer {
        let change = DictionaryMerge.Change(
            name: Array(key.utf8), value: list.byteCount == 0 ? nil : 0..<list.byteCount)
        do throws(PropertyListError) {
            let merge = try DictionaryMerge(
                base: metadata, changes: [change], values: list, maximumDepth: Limits.metadataDepth, names: .any)
            return try written(merge)
        } catch {
            throw VaultFileError(writing: error)
        }
    }

    /// Writers leave out a dictionary without entries.
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
