/// What the size of a dictionary follows from, while entries come and go.
struct DictionaryTotals {
    private(set) var entries: Int
    private var objects: Int
    /// The bytes of all objects but the root, without references: their width is not known before the end.
    private var payload: Int

    init(of reader: PropertyListReader) {
        entries = reader.count(of: 0)
        objects = reader.objectCount
        payload = reader.tableOffset - 8 - (objects - 1) * reader.referenceWidth - headLength(count: entries)
    }

    /// Leaves out an entry of the dictionary that this began with.
    mutating func drop(_ index: Int, of reader: PropertyListReader) {
        let value = reader.valueExtent(of: index..<index + 1)
        let key = reader.offset(of: index + 1)..<reader.offset(of: index + 2)
        entries -= 1
        objects -= 1 + value.objects.count
        payload -= key.count + value.bytes.count - (value.objects.count - 1) * reader.referenceWidth
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - key: the name.
    ///   - value: the list whose root is the value.
    /// - Throws: `tooLarge` before the sums could grow without end.
    mutating func add(_ key: EncodedString, _ value: PropertyListReader) throws(PropertyListError) {
        entries += 1
        objects += 1 + value.objectCount
        payload += key.byteCount + value.tableOffset - 8 - (value.objectCount - 1) * value.referenceWidth
        // What is dropped later can be as large as a list.
        guard payload <= 2 * PropertyListLimits.bytes else { throw PropertyListError(.tooLarge) }
    }

    /// The sizes of the whole list.
    func shape() throws(PropertyListError) -> ListShape {
        try ListShape(objectCount: objects, payload: payload + headLength(count: entries))
    }
}
