/// How many objects there are, and their bytes without references: the width of those is not known before the end.
struct ObjectsSize {
    var objects: Int
    var payload: Int
}

/// What the size of a dictionary follows from, while entries come and go.
struct DictionaryTotals: Sendable {
    private(set) var entries = 0
    private var objects = 1
    private var payload = 0

    /// - Parameters:
    ///   - reader: the list.
    ///   - dictionary: its dictionary to begin with, or nil for none.
    init(of reader: PropertyListReader, _ dictionary: Int?) {
        guard let dictionary else { return }
        let subtree = reader.subtree(of: dictionary)
        entries = reader.count(of: dictionary)
        objects = subtree.objects.count
        payload = subtree.bytes.count - (objects - 1) * reader.referenceWidth - headLength(count: entries)
    }

    /// Leaves out an entry of the dictionary that this began with.
    mutating func drop(_ index: Int, of reader: PropertyListReader, _ dictionary: Int) {
        let value = reader.valueExtent(of: index..<index + 1, in: dictionary)
        let first = dictionary + 1 + index
        let key = reader.offset(of: first)..<reader.offset(of: first + 1)
        entries -= 1
        objects -= 1 + value.objects.count
        payload -= key.count + value.bytes.count - (value.objects.count - 1) * reader.referenceWidth
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - key: the name.
    ///   - value: what the value and all that is in it take.
    /// - Throws: `tooLarge` before the sums could grow without end.
    mutating func add(_ key: EncodedString, _ value: ObjectsSize) throws(PropertyListError) {
        entries += 1
        objects += 1 + value.objects
        payload += key.byteCount + value.payload
        // What is dropped later can be as large as a list.
        guard payload <= 2 * PropertyListLimits.bytes else { throw PropertyListError(.tooLarge) }
    }

    /// What the dictionary and all that is in it take.
    var size: ObjectsSize { ObjectsSize(objects: objects, payload: payload + headLength(count: entries)) }

    /// The sizes of the whole list.
    func shape() throws(PropertyListError) -> ListShape {
        try ListShape(objectCount: size.objects, payload: size.payload)
    }
}
