internal import PropertyLists
internal import SecureMemory

// How ages, tombstones and last values are written and read. Specified in the file format, *Metadata*.
extension VaultPlaintext {
    /// Composes the next generation with a history that follows the changes.
    ///
    /// - Parameter isCurrent: whether the ages that are there belong to the settings.
    func changed(
        by changes: [SettingsChange], values: RawSpan, isCurrent: Bool, now: Int64
    ) throws(PropertyListError) -> VaultPlaintext {
        let (old, empty) = (self, Metadata.empty)
        let merge = try DictionaryMerge(base: old.settings, changes: changes.map(\.merge), values: values)
        let base = old.metadata.byteCount > 0 ? old.metadata : empty.rawSpan
        let history = MetadataHistory(
            of: changes, values: values, settings: PropertyListReader(trusted: old.settings),
            metadata: PropertyListReader(trusted: base), isCurrent: isCurrent, now: now)
        var failure = PropertyListError(.tooLarge)
        for extent in HistoryExtent.allCases {
            do throws(PropertyListError) {
                let metadata = try DictionaryMerge(
                    base: base, changes: history.changes(extent, settingsCount: merge.entryCount), values: values,
                    other: old.settings, maximumDepth: Limits.metadataDepth, names: .any)
                return try old.composed(merge, metadata, history, isCurrent: isCurrent, now: now)
            } catch {
                // Less of the history may fit; memory that is missing will be missing again.
                guard error.code != .outOfMemory else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func composed(
        _ settings: DictionaryMerge, _ metadata: DictionaryMerge, _ history: MetadataHistory, isCurrent: Bool,
        now: Int64
    ) throws(PropertyListError) -> VaultPlaintext {
        let metadataLength = metadata.entryCount > 0 ? metadata.byteCount : 0
        var plaintext = try Self.buffer(settings: settings.byteCount, metadata: metadataLength)
        let settingsEnd = Self.headerLength + settings.byteCount
        let layout = Layout(
            vaultID: vaultID, generation: generation + 1, settingsEnd: settingsEnd,
            metadataEnd: settingsEnd + metadataLength)
        Self.writeHeader(layout, to: &plaintext)
        settings.write(into: &plaintext, at: Self.headerLength)
        guard metadataLength > 0 else { return VaultPlaintext(plaintext, layout: layout, .stale) }
        metadata.write(into: &plaintext, at: settingsEnd)
        guard let place = Self.agesPlace(in: plaintext, metadata: settingsEnd..<layout.metadataEnd) else {
            return VaultPlaintext(plaintext, layout: layout, .stale)
        }
        // Digested where it stands, so that the settings are written only once.
        do throws(VaultFileError) {
            let digest = try BLAKE2b.secret(
                "coffer1-ages", of: plaintext.bytes.extracting(Self.headerLength..<settingsEnd),
                digestLength: Metadata.digestLength)
            plaintext.copy(from: digest.bytes, at: place)
        } catch {
            throw PropertyListError(.outOfMemory)
        }
        writeAges(settings, history, isCurrent: isCurrent, now: now, to: &plaintext, at: place + Metadata.digestLength)
        return VaultPlaintext(plaintext, layout: layout, .current)
    }

    /// Where the data of `modified` start in a plaintext; nil without it.
    private static func agesPlace(in plaintext: borrowing GuardedBuffer, metadata: Range<Int>) -> Int? {
        let reader = PropertyListReader(trusted: plaintext.bytes.extracting(metadata))
        return reader.find("modified", in: 0).map { metadata.lowerBound + reader.dataRange(of: $0).lowerBound }
    }

    /// Writes the ages of all settings: blocks of those that stay, and between them those that are set.
    private func writeAges(
        _ settings: DictionaryMerge, _ history: MetadataHistory, isCurrent: Bool, now: Int64,
        to plaintext: inout GuardedBuffer, at place: Int
    ) {
        let reader = agesReader()
        let old = isCurrent ? reader : RawSpan()
        let present = UInt64(max(now, 0)).littleEndianBytes
        var next = place
        for step in settings.steps {
            // Without old ages the room is left as it is: zeros, for unknown.
            if old.byteCount > 0 {
                plaintext.copy(from: old.extracting(8 * step.kept.lowerBound..<8 * step.kept.upperBound), at: next)
            }
            next += 8 * step.kept.count
            guard let change = step.change, let age = history.ages[change] else { continue }
            switch age {
            case .now: plaintext.copy(from: present.rawSpan, at: next)
            case .carried(let index):
                if old.byteCount > 0 { plaintext.copy(from: old.extracting(8 * index..<8 * index + 8), at: next) }
            }
            next += 8
        }
    }

    /// The ages behind their digest, whether they belong to the settings or not; nothing where there are none.
    @_lifetime(borrow self)
    private func agesReader() -> RawSpan {
        guard metadata.byteCount > 0 else { return RawSpan() }
        let reader = PropertyListReader(trusted: metadata)
        guard let modified = reader.find("modified", in: 0) else { return RawSpan() }
        let range = reader.dataRange(of: modified)
        return metadata.extracting(range.lowerBound + Metadata.digestLength..<range.upperBound)
    }

    /// When settings last changed, in their order.
    ///
    /// - Parameters:
    ///   - indices: which of the settings.
    ///   - now: the present, in milliseconds since 1970.
    /// - Returns: milliseconds since 1970, as they count; nil for an age that is not known.
    package func modified(_ indices: Range<Int>, now: Int64) throws(VaultFileError) -> [Int64?] {
        guard try hasCurrentAges() else { return indices.map { _ in nil } }
        let ages = agesReader()
        return indices.map { index in
            let time = Int64(bitPattern: ages.littleEndian(8 * index, as: UInt64.self))
            let counted = MetadataTime.counted(time, now: now)
            return counted == 0 ? nil : counted
        }
    }

    /// The value that an undo of a name brings back, as an object of the metadata; nil where there is none.
    package func previousValue(of name: RawSpan) throws(VaultFileError) -> Int? {
        guard try hasCurrentAges() else { return nil }
        let reader = PropertyListReader(trusted: metadata)
        guard let previous = reader.find("previous", in: 0), let entry = reader.find(name, in: previous) else {
            return nil
        }
        return reader.find("value", in: entry.value)
    }
}
