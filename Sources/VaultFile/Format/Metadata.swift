package import PropertyLists
internal import SecureMemory

/// What a vault knows about its settings: ages, tombstones, last values, and who may recover it.
///
/// Specified in the file format, *Settings and metadata*. Unknown keys are kept and never judged.
package enum Metadata {
    package static let recipientCount = 16
    static let digestLength = 16

    /// Checks the metadata of a vault against its settings.
    ///
    /// - Throws: `invalidContents` when it is not canonical, or a known key has another type or size.
    package static func check(_ metadata: RawSpan, settings: RawSpan) throws(VaultFileError) {
        do throws(PropertyListError) {
            try CanonicalCheck.check(metadata, maximumDepth: Limits.metadataDepth, names: .any)
        } catch {
            throw error.code == .outOfMemory
                ? .memory : .invalidContents(reason: "the metadata is no canonical dictionary")
        }
        let reader = PropertyListReader(trusted: metadata)
        for index in 0..<reader.count(of: 0) {
            guard let key = reader.asciiBytes(of: reader.key(index)) else { continue }
            let value = reader.value(index)
            let isGood =
                if key.equals("modified") {
                    try isModified(value, in: reader, settings: settings)
                } else if key.equals("removed") {
                    isNamed(value, in: reader) { reader.kind(of: $0) == .integer }
                } else if key.equals("previous") {
                    isNamed(value, in: reader) { isPrevious($0, in: reader) }
                } else if key.equals("owner") {
                    isData(value, of: 32, in: reader)
                } else if key.equals("recipients") {
                    isRecipients(value, in: reader)
                } else {
                    true
                }
            guard isGood else { throw .invalidContents(reason: "a known key of the metadata has another form") }
        }
    }

    private static func isModified(
        _ object: Int, in reader: PropertyListReader, settings: RawSpan
    ) throws(VaultFileError) -> Bool {
        guard reader.kind(of: object) == .data else { return false }
        let data = reader.data(object)
        guard data.byteCount >= digestLength else { return false }
        // Of this length it is good whatever its digest is, so the settings are digested only when it is asked for.
        if data.byteCount == digestLength + 8 * PropertyListReader(trusted: settings).count(of: 0) { return true }
        // Other settings: changed since by somebody who knows nothing of ages. It is ignored.
        return try !isAges(data, of: settings)
    }

    /// Whether ages were written for exactly these settings.
    static func isAges(_ data: RawSpan, of settings: RawSpan) throws(VaultFileError) -> Bool {
        // The digest tells something of the settings, so it stays in guarded memory.
        let digest = try BLAKE2b.secret("coffer1-ages", of: settings, digestLength: digestLength)
        return data.extracting(first: digestLength).equals(digest.bytes)
    }

    /// Whether an object is a dictionary from setting names to what a rule asks for.
    private static func isNamed(_ object: Int, in reader: PropertyListReader, _ rule: (Int) -> Bool) -> Bool {
        guard reader.kind(of: object) == .dictionary else { return false }
        for index in 0..<reader.count(of: object) {
            guard NameRule.settings.allows(reader.text(reader.key(index, of: object))),
                rule(reader.value(index, of: object))
            else { return false }
        }
        return true
    }

    private static func isPrevious(_ object: Int, in reader: PropertyListReader) -> Bool {
        guard reader.kind(of: object) == .dictionary, reader.find("value", in: object) != nil,
            let saved = reader.find("saved", in: object)
        else { return false }
        return reader.kind(of: saved) == .integer
    }

    private static func isData(_ object: Int, of length: Int, in reader: PropertyListReader) -> Bool {
        reader.kind(of: object) == .data && reader.data(object).byteCount == length
    }

    private static func isRecipients(_ object: Int, in reader: PropertyListReader) -> Bool {
        guard reader.kind(of: object) == .array, reader.find("owner", in: 0) != nil else { return false }
        let count = reader.count(of: object)
        guard count <= recipientCount else { return false }
        for index in 0..<count {
            let entry = reader.element(index, of: object)
            guard reader.kind(of: entry) == .dictionary, let key = reader.find("key", in: entry),
                isData(key, of: 32, in: reader), let label = reader.find("label", in: entry),
                reader.kind(of: label) == .string, NameRule.settings.allows(reader.text(label))
            else { return false }
            for earlier in 0..<index {
                guard let other = reader.find("key", in: reader.element(earlier, of: object)),
                    !reader.data(other).equals(reader.data(key))
                else { return false }
            }
        }
        return true
    }
}

extension PropertyListReader {
    /// Finds the value of a key that the format names.
    package func find(_ key: StaticString, in dictionary: Int) -> Int? {
        let name = unsafe RawSpan(_unsafeStart: key.utf8Start, byteCount: key.utf8CodeUnitCount)
        return find(name, in: dictionary)?.value
    }
}

extension RawSpan {
    fileprivate func equals(_ text: StaticString) -> Bool {
        equals(unsafe RawSpan(_unsafeStart: text.utf8Start, byteCount: text.utf8CodeUnitCount))
    }
}
