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
    /// Ages, tombstones and last values follow the changes; where they would pass a limit, less of them is kept.
    ///
    /// - Parameters:
    ///   - changes: ascending by the bytes of their names.
    ///   - values: what the changes name.
    ///   - now: the present, in milliseconds since 1970.
    /// - Throws: `limitExceeded` with the field generation, depth, objects or box_len; `refused`; `memory`.
    package func next(
        changes: [SettingsChange], values: RawSpan, now: Int64
    ) throws(VaultFileError) -> VaultPlaintext {
        guard !changes.isEmpty else {
            let kept = try Metadata.kept(metadata, isCurrent: try hasCurrentAges())
            return try next(metadata: kept.bytes)
        }
        try Limits.check("generation", generation + 1, in: 1...Limits.generation)
        let isCurrent = try hasCurrentAges()
        return try Self.writing { () throws(PropertyListError) in
            try changed(by: changes, values: values, isCurrent: isCurrent, now: now)
        }
    }

    /// Composes the next generation without a change of settings, such as under another key.
    ///
    /// - Parameter metadata: what is kept of the metadata.
    package func next(metadata: RawSpan) throws(VaultFileError) -> VaultPlaintext {
        try Limits.check("generation", generation + 1, in: 1...Limits.generation)
        let (old, vaultID, generation) = (self, vaultID, generation + 1)
        return try Self.writing { () throws(PropertyListError) in
            let settings = try DictionaryMerge(base: old.settings, changes: [], values: RawSpan())
            return try Self.composed(vaultID: vaultID, generation: generation, settings: settings, metadata: metadata)
        }
    }

    /// Composes a plaintext: inner header, settings, metadata and padding.
    ///
    /// Specified in the file format, *Bytes*.
    ///
    /// - Parameters:
    ///   - vaultID: 16 bytes.
    ///   - generation: the number of the save; 0 for what is never saved.
    ///   - settings: all of the settings.
    ///   - metadata: one canonical dictionary that belongs to them, or nothing.
    /// - Throws: `tooLarge`, `outOfMemory`.
    package static func composed(
        vaultID: [UInt8], generation: UInt64, settings: DictionaryMerge, metadata: RawSpan
    ) throws(PropertyListError) -> VaultPlaintext {
        var plaintext = try buffer(settings: settings.byteCount, metadata: metadata.byteCount)
        let layout = Layout(
            vaultID: vaultID, generation: generation, settingsEnd: headerLength + settings.byteCount,
            metadataEnd: headerLength + settings.byteCount + metadata.byteCount)
        writeHeader(layout, to: &plaintext)
        settings.write(into: &plaintext, at: headerLength)
        plaintext.copy(from: metadata, at: layout.settingsEnd)
        return VaultPlaintext(plaintext, layout: layout)
    }

    /// Room for a plaintext: zeros.
    ///
    /// - Throws: `tooLarge`, `outOfMemory`.
    static func buffer(settings: Int, metadata: Int) throws(PropertyListError) -> GuardedBuffer {
        let padded = Padding.padded(headerLength + settings + metadata)
        guard padded <= Limits.plaintext.upperBound else { throw PropertyListError(.tooLarge) }
        do throws(SecureMemoryError) { return try GuardedBuffer(count: padded) } catch {
            throw PropertyListError(.outOfMemory)
        }
    }

    static func writeHeader(_ layout: Layout, to plaintext: inout GuardedBuffer) {
        let header =
            layout.vaultID + layout.generation.littleEndianBytes
            + UInt32(layout.settingsEnd - headerLength).littleEndianBytes
            + UInt32(layout.metadataEnd - layout.settingsEnd).littleEndianBytes
        plaintext.copy(from: header.rawSpan, at: 0)
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
