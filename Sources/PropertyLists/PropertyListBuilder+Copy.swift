extension PropertyListBuilder {
    /// Adds a value of another list with all that is in it.
    ///
    /// - Parameters:
    ///   - object: the value.
    ///   - reader: the list that it comes from.
    /// - Throws: `malformed` where no value may stand; `tooLarge`; `outOfMemory`.
    package mutating func copy(_ object: Int, of reader: PropertyListReader) throws(PropertyListError) {
        var path: [(container: Int, next: Int)] = []
        var current = object
        while true {
            switch reader.kind(of: current) {
            case .array:
                try beginArray()
                path.append((current, 0))
            case .dictionary:
                try beginDictionary()
                path.append((current, 0))
            default:
                try leaf(encoded: reader.encoded(current))
            }
            while let top = path.last, top.next == reader.count(of: top.container) {
                if reader.kind(of: top.container) == .array { try endArray() } else { try endDictionary() }
                path.removeLast()
            }
            guard let top = path.last else { return }
            path[path.count - 1].next += 1
            if reader.kind(of: top.container) == .array {
                current = reader.element(top.next, of: top.container)
            } else {
                try key(encoded: reader.encoded(reader.key(top.next, of: top.container)))
                current = reader.value(top.next, of: top.container)
            }
        }
    }
}

extension PropertyListReader {
    /// The bytes of one object.
    @_lifetime(copy self)
    func encoded(_ object: Int) -> RawSpan { list.extracting(offset(of: object)..<offset(of: object + 1)) }
}
