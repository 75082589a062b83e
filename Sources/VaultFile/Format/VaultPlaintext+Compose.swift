package import PropertyLists
internal import SecureMemory

extension VaultPlaintext {
    /// What a new vault starts from: no settings, and generation 0, which is never saved.
    package static func beforeFirst() throws(VaultFileError) -> VaultPlaintext {
        var vaultID = [UInt8](repeating: 0, count: idLength)
        SecureRandom.fill(&vaultID)
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            try builder.beginDictionary()
            try builder.endDictionary()
            let empty = try builder.finish()
            let merge = try DictionaryMerge(base: empty.bytes, changes: [], values: RawSpan())
            return try composed(vaultID: vaultID, generation: 0, settings: merge, metadata: RawSpan())
        } catch {
            throw VaultFileError(writing: error)
        }
    }

    /// Composes the next generation.
    ///
    /// - Parameters:
    ///   - changes: ascending by the bytes of their names.
    ///   - values: what the changes name.
    /// - Throws: `limitExceeded` with the field generation, depth, objects or box_len; `refused`; `memory`.
    package func next(
        changes: [DictionaryMerge.Change], values: RawSpan
    ) throws(VaultFileError) -> VaultPlaintext {
        switch try Metadata.kept(metadata, settings: settings) {
        case .some(let kept): try next(changes: changes, values: values, metadata: kept.bytes)
        case .none: try next(changes: changes, values: values, metadata: metadata)
        }
    }

    /// Composes the next generation with metadata of its own.
    package func next(
        changes: [DictionaryMerge.Change], values: RawSpan, metadata: RawSpan
    ) throws(VaultFileError) -> VaultPlaintext {
        try Limits.check("generation", generation + 1, in: 1...Limits.generation)
        do throws(PropertyListError) {
            let merge = try DictionaryMerge(base: settings, changes: changes, values: values)
            return try Self.composed(
                vaultID: vaultID, generation: generation + 1, settings: merge, metadata: metadata)
        } catch {
            throw VaultFileError(writing: error)
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
        return VaultPlaintext(
            composed: plaintext,
            layout: Layout(
                vaultID: vaultID, generation: generation, settingsEnd: settingsEnd, metadataEnd: metadataEnd))
    }
}

extension VaultFileError {
    /// What it means for a writer that a list cannot be written.
    init(writing error: PropertyListError) {
        self =
            switch error.code {
            case .outOfMemory: .memory
            case .tooDeep:
                .limitExceeded(
                    field: "depth", value: UInt64(Limits.settingsDepth) + 1, bound: UInt64(Limits.settingsDepth))
            case .tooLarge:
                .limitExceeded(
                    field: "size", value: UInt64(Limits.plaintext.upperBound) + 1,
                    bound: UInt64(Limits.plaintext.upperBound))
            default: .refused(reason: "a value is not in the canonical form of a property list")
            }
    }
}
