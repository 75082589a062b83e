internal import PropertyLists
internal import SecureMemory

extension StoredValue {
    /// Copies a value, with all that is in it, out of a checked list into Swift values.
    ///
    /// A checked list is nested no deeper than the format allows, and so is this.
    ///
    /// - Throws: `typeMismatch` when a dictionary has two keys that are one key in Swift; `notEnoughMemory`.
    init(_ object: Int, of reader: PropertyListReader, for use: ValueUse) throws(VaultError) {
        switch reader.kind(of: object) {
        case .boolean: self = .boolean(reader.boolean(object))
        case .integer: self = .integer(reader.integer(object))
        case .real: self = .real(reader.real(object))
        case .string: self = .string(try ValueReading.string(object, of: reader))
        case .date:
            // A checked list holds finite dates alone.
            guard let date = SettingDate(secondsSince2001: reader.date(object)) else {
                throw use.mismatch(found: "date that does not fit")
            }
            self = .date(date)
        case .data: self = .data(SettingData(reader.data(object)))
        case .array:
            var elements: [StoredValue] = []
            let count = reader.count(of: object)
            elements.reserveCapacity(count)
            for index in 0..<count {
                elements.append(try StoredValue(reader.element(index, of: object), of: reader, for: use))
            }
            self = .array(elements)
        case .dictionary: self = .dictionary(try Self.entries(of: object, of: reader, for: use))
        }
    }

    /// The format tells keys apart by their bytes, Swift by what they look like: none is dropped for it.
    private static func entries(
        of dictionary: Int, of reader: PropertyListReader, for use: ValueUse
    ) throws(VaultError) -> [String: StoredValue] {
        var entries: [String: StoredValue] = [:]
        let count = reader.count(of: dictionary)
        entries.reserveCapacity(count)
        for index in 0..<count {
            let key = try ValueReading.string(reader.key(index, of: dictionary), of: reader)
            let value = try StoredValue(reader.value(index, of: dictionary), of: reader, for: use)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw use.mismatch(found: "dictionary with two spellings of one key")
            }
        }
        return entries
    }
}

extension SettingData {
    /// Copies bytes out of guarded memory.
    fileprivate init(_ span: RawSpan) { bytes = unsafe span.withUnsafeBytes { unsafe Array($0) } }
}
