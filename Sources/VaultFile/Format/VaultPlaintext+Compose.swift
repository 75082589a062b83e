package import PropertyLists
internal import SecureMemory

extension VaultPlaintext {
    /// What a new vault starts from: no settings, and generation 0, which is never saved.
    package static func beforeFirst() throws(VaultFileError) -> VaultPlaintext {
        var vaultID = [UInt8](repeating: 0, count: idLength)
        SecureRandom.fill(&vaultID)
        return try writing { () throws(PropertyListError) in
            var builder = try PropertyListBuilder()
            try builder.beginDictionary()
            try builder.endDictionary()
            let empty = try builder.finish()
            let settings = try DictionaryMerge(base: empty.bytes, changes: [], values: RawSpan())
            return try composed(vaultID: vaultID, generation: 0, settings: settings, metadata: RawSpan())
        }
    }

    /// Composes the next generation.
    ///
    /// - Parameters:
    ///   - changes: ascending by the bytes of their names.
    ///   - values: what the changes name.
    /// - Throws: `limitExceeded` with the field generation, depth, objects or box_len; `refused`; `memory`.
    package func next(changes: [DictionaryMerge.Change], values: RawSpan) throws(VaultFileError) -> VaultPlaintext {
        let kept = try Metadata.kept(metadata, settings: settings, changes: changes)
        return try next(changes: changes, values: values, metadata: kept.bytes)
    }

    /// Composes the next generation under another key, without a change of settings.
    ///
    /// - Parameter metadata: what is kept of the metadata.
    package func next(metadata: RawSpan) throws(VaultFileError) -> VaultPlaintext {
        try next(changes: [], values: RawSpan(), metadata: metadata)
    }

    private func next(
        changes: [DictionaryMerge.Change], values: RawSpan, metadata: RawSpan
    ) throws(VaultFileError) -> VaultPlaintext {
        try Limits.check("generation", generation + 1, in: 1...Limits.generation)
        let (old, vaultID, generation) = (self, vaultID, generation + 1)
        return try Self.writing { () throws(PropertyListError) in
            let merge = try DictionaryMerge(base: old.settings, changes: changes, values: values)
            return try Self.composed(vaultID: vaultID, generation: generation, settings: merge, metadata: metadata)
        }
    }

    private static func composed(
        vaultID: [UInt8], generation: UInt64, settings: DictionaryMerge, metadata: RawSpan
    ) throws(PropertyListError) -> VaultPlaintext {
        let settingsEnd = headerLength + settings.byteCount
        let metadataEnd = settingsEnd + metadata.byteCount
        let padded = Padding.padded(metadataEnd)
        guard padded <= Limits.plaintext.upperBound else { throw PropertyListError(.tooLarge) }
        var plaintext: GuardedBuffer
        do throws(SecureMemoryError) { plaintext = try GuardedBuffer(count: padded) } catch {
            throw PropertyListError(.outOfMemory)
        }
        let header =
            vaultID + generation.littleEndianBytes + UInt32(settings.byteCount).littleEndianBytes
            + UInt32(metadata.byteCount).littleEndianBytes
        plaintext.copy(from: header.rawSpan, at: 0)
        settings.write(into: &plaintext, at: headerLength)
        plaintext.copy(from: metadata, at: settingsEnd)
        let layout = Layout(
            vaultID: vaultID, generation: generation, settingsEnd: settingsEnd, metadataEnd: metadataEnd)
        return VaultPlaintext(plaintext, layout: layout)
    }

    private static func writing(
        _ body: () throws(PropertyListError) -> VaultPlaintext
    ) throws(VaultFileError) -> VaultPlaintext {
        do throws(PropertyListError) { return try body() } catch {
            throw VaultFileError(writing: error, maximumDepth: Limits.settingsDepth)
        }
    }
}

extension VaultFileError {
    /// What it means for a writer that a list cannot be written; a value is only known to be over the bound.
    package init(writing error: PropertyListError, maximumDepth: Int) {
        let (field, bound): (String, Int)
        switch error.code {
        case .outOfMemory:
            self = .memory
            return
        case .tooDeep: (field, bound) = ("depth", maximumDepth)
        case .tooManyObjects: (field, bound) = ("objects", Limits.objects)
        case .tooLarge: (field, bound) = ("box_len", Limits.plaintext.upperBound + SecretBox.overhead)
        default:
            self = .refused(reason: "a value is not in the canonical form of a property list")
            return
        }
        self = .limitExceeded(field: field, value: UInt64(bound) + 1, bound: UInt64(bound))
    }
}
