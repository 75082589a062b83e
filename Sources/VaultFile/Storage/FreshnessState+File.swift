internal import PropertyLists
internal import SecureMemory

// The file: one canonical list, and 32 bytes that tell whether it is whole.
//
// `paths`: an array of {`id` data 16, `path` data}; `vaults`: an array of {`check` data 32, `commitment` data 32,
// `generation` integer, `id` data 16, `replaced` array of data 32}; both with what changed last at the end; `version`: 1.
// The check is that of a vault's file, so that a flipped bit is lost state and no false alarm.
extension FreshnessState {
    /// The largest file that is read: room for all that the limits allow.
    package static let maximumFileSize = 1 << 25
    private static let version: Int64 = 1
    private static let maximumDepth = 4

    /// Reads a state, trusting no byte of it.
    ///
    /// - Parameter file: all bytes of a file.
    /// - Returns: nil for what this program would not write: damaged, of another version or beyond the limits.
    package init?(file: RawSpan) {
        let listLength = file.byteCount - VaultHeader.checkLength
        guard file.byteCount <= Self.maximumFileSize, listLength > 0 else { return nil }
        let list = file.extracting(first: listLength)
        let check = file.extracting(listLength..<file.byteCount)
        guard let found = try? VaultHeader.check(of: list), check.equals(found.rawSpan) else { return nil }
        self.init(list: list)
    }

    /// Reads the list of a state, trusting no byte of it.
    ///
    /// - Parameter list: any bytes.
    package init?(list: RawSpan) {
        do throws(PropertyListError) {
            try CanonicalCheck.check(list, maximumDepth: Self.maximumDepth, names: .any)
        } catch {
            return nil
        }
        let reader = PropertyListReader(trusted: list)
        guard reader.count(of: 0) == 3, let version = reader.find("version", in: 0),
            reader.kind(of: version) == .integer, reader.integer(version) == Self.version,
            let vaults = reader.elements(of: reader.find("vaults", in: 0), atMost: Self.maximumVaults),
            let paths = reader.elements(of: reader.find("paths", in: 0), atMost: Self.maximumPaths)
        else { return nil }
        var (records, places) = ([Record](), [Place]())
        for entry in vaults {
            guard let record = Record(entry, of: reader) else { return nil }
            records.append(record)
        }
        for entry in paths {
            guard let place = Place(entry, of: reader) else { return nil }
            places.append(place)
        }
        guard Set(records.map(\.newest.vaultID)).count == records.count, Set(places.map(\.path)).count == places.count
        else { return nil }
        self.init(records: records, places: places)
    }

    /// Writes the state.
    ///
    /// - Returns: all bytes of its file.
    /// - Throws: `ENOMEM`; nothing else can be wrong with a state.
    package func file() throws(StorageError) -> [UInt8] {
        do throws(PropertyListError) {
            let list = try list()
            let bytes = unsafe list.bytes.withUnsafeBytes { unsafe Array($0) }
            guard let check = try? VaultHeader.check(of: bytes.rawSpan) else { throw PropertyListError(.outOfMemory) }
            return bytes + check
        } catch {
            throw StorageError(.writeTemporary, .outOfMemory)
        }
    }

    private func list() throws(PropertyListError) -> GuardedBuffer {
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        try builder.key("version")
        try builder.integer(Self.version)
        try builder.key("vaults")
        try builder.beginArray()
        for record in records { try record.write(to: &builder) }
        try builder.endArray()
        try builder.key("paths")
        try builder.beginArray()
        for place in places {
            try builder.beginDictionary()
            try builder.key("id")
            try builder.data(place.vaultID.rawSpan)
            try builder.key("path")
            try builder.data(place.path.rawSpan)
            try builder.endDictionary()
        }
        try builder.endArray()
        try builder.endDictionary()
        return try builder.finish(maximumDepth: Self.maximumDepth)
    }
}

extension FreshnessState.Record {
    fileprivate init?(_ entry: Int, of reader: PropertyListReader) {
        guard reader.isDictionary(entry, count: 5),
            let vaultID = reader.data("id", of: entry, lengths: VaultPlaintext.idLength...VaultPlaintext.idLength),
            let check = reader.data("check", of: entry, lengths: 32...32),
            let commitment = reader.data("commitment", of: entry, lengths: 32...32),
            let generation = reader.find("generation", in: entry), reader.kind(of: generation) == .integer,
            let number = UInt64(exactly: reader.integer(generation)), number > 0,
            let commitments = reader.elements(
                of: reader.find("replaced", in: entry), atMost: FreshnessState.maximumReplaced)
        else { return nil }
        var replaced: [[UInt8]] = []
        for element in commitments {
            guard reader.kind(of: element) == .data, reader.data(element).byteCount == 32 else { return nil }
            replaced.append(unsafe reader.data(element).withUnsafeBytes { unsafe Array($0) })
        }
        guard Set(replaced).count == replaced.count, !replaced.contains(commitment) else { return nil }
        self.init(
            newest: FreshnessSighting(vaultID: vaultID, generation: number, check: check, commitment: commitment),
            replaced: replaced)
    }

    fileprivate func write(to builder: inout PropertyListBuilder) throws(PropertyListError) {
        try builder.beginDictionary()
        try builder.key("id")
        try builder.data(newest.vaultID.rawSpan)
        try builder.key("generation")
        // Below 2⁶³ in every file that was opened; a cut number would be another one.
        guard let generation = Int64(exactly: newest.generation) else { throw PropertyListError(.malformed) }
        try builder.integer(generation)
        try builder.key("check")
        try builder.data(newest.check.rawSpan)
        try builder.key("commitment")
        try builder.data(newest.commitment.rawSpan)
        try builder.key("replaced")
        try builder.beginArray()
        for commitment in replaced { try builder.data(commitment.rawSpan) }
        try builder.endArray()
        try builder.endDictionary()
    }
}

extension FreshnessState.Place {
    fileprivate init?(_ entry: Int, of reader: PropertyListReader) {
        guard reader.isDictionary(entry, count: 2),
            let vaultID = reader.data("id", of: entry, lengths: VaultPlaintext.idLength...VaultPlaintext.idLength),
            let path = reader.data("path", of: entry, lengths: 1...FreshnessState.maximumPathLength)
        else { return nil }
        self.init(path: path, vaultID: vaultID)
    }
}

extension PropertyListReader {
    fileprivate func isDictionary(_ object: Int, count: Int) -> Bool {
        kind(of: object) == .dictionary && self.count(of: object) == count
    }

    /// The numbers of an array's elements, or nil when it is none or has too many.
    fileprivate func elements(of array: Int?, atMost maximum: Int) -> [Int]? {
        guard let array, kind(of: array) == .array, count(of: array) <= maximum else { return nil }
        return (0..<count(of: array)).map { element($0, of: array) }
    }

    /// The bytes of a dictionary's entry, or nil when it is absent, no data or of another length.
    fileprivate func data(_ key: StaticString, of dictionary: Int, lengths: ClosedRange<Int>) -> [UInt8]? {
        guard let object = find(key, in: dictionary), kind(of: object) == .data,
            lengths.contains(data(object).byteCount)
        else { return nil }
        return unsafe data(object).withUnsafeBytes { unsafe Array($0) }
    }
}

extension PropertyListBuilder {
    fileprivate mutating func key(_ name: StaticString) throws(PropertyListError) {
        try key(utf8: unsafe RawSpan(_unsafeStart: name.utf8Start, byteCount: name.utf8CodeUnitCount))
    }
}
