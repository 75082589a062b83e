internal import PropertyLists
internal import SecureMemory

extension StoredValue {
    /// Copies a value, with all that is in it, out of a checked list into Swift values.
    ///
    /// A checked list is nested no deeper than the format allows, and so is this.
    ///
    /// - Parameters:
    ///   - object: the value.
    ///   - reader: the list that it stands in.
    ///   - name: the setting's name as the caller spells it, for an error.
    ///   - type: the type that the caller asks for, whose name in an error is put together only then.
    /// - Throws: `typeMismatch` when a dictionary has two keys that are one key in Swift; `notEnoughMemory`.
    init(_ object: Int, of reader: PropertyListReader, named name: String, as type: any SettingValue.Type)
        throws(VaultError)
    {
        switch reader.kind(of: object) {
        case .boolean: self = .boolean(reader.boolean(object))
        case .integer: self = .integer(reader.integer(object))
        case .real: self = .real(reader.real(object))
        case .string: self = .string(try ValueReading.string(object, of: reader))
        case .date:
            // A checked list holds finite dates alone.
            guard let date = SettingDate(secondsSince2001: reader.date(object)) else {
                throw type.mismatch(named: name, found: "date that does not fit")
            }
            self = .date(date)
        case .data: self = .data(SettingData(reader.data(object)))
        case .array: self = .array(try Self.elements(of: object, of: reader, named: name, as: type))
        case .dictionary: self = .dictionary(try Self.entries(of: object, of: reader, named: name, as: type))
        }
    }

    // Containers have functions of their own, so that simple values, which are most, need little stack.
    @inline(never)
    private static func elements(
        of array: Int, of reader: PropertyListReader, named name: String, as type: any SettingValue.Type
    ) throws(VaultError) -> [StoredValue] {
        var elements: [StoredValue] = []
        let count = reader.count(of: array)
        elements.reserveCapacity(count)
        for index in 0..<count {
            elements.append(try StoredValue(reader.element(index, of: array), of: reader, named: name, as: type))
        }
        return elements
    }

    /// The format tells keys apart by their bytes, Swift by what they look like: none is dropped for it.
    @inline(never)
    private static func entries(
        of dictionary: Int, of reader: PropertyListReader, named name: String, as type: any SettingValue.Type
    ) throws(VaultError) -> [String: StoredValue] {
        var entries: [String: StoredValue] = [:]
        let count = reader.count(of: dictionary)
        entries.reserveCapacity(count)
        for index in 0..<count {
            let key = try ValueReading.string(reader.key(index, of: dictionary), of: reader)
            let value = try StoredValue(reader.value(index, of: dictionary), of: reader, named: name, as: type)
            guard entries.updateValue(value, forKey: key) == nil else {
                throw type.mismatch(named: name, found: "dictionary with two spellings of one key")
            }
        }
        return entries
    }
}

extension SettingData {
    /// Copies bytes out of guarded memory.
    fileprivate init(_ span: RawSpan) { bytes = unsafe span.withUnsafeBytes { unsafe Array($0) } }
}
