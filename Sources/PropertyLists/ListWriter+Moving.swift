extension ListWriter {
    /// Writes whole values of another list, whose references move as the objects do.
    ///
    /// - Parameters:
    ///   - objects: one value with all that is in it, or several.
    ///   - reader: the list that they come from.
    mutating func moveObjects(_ objects: Range<Int>, of reader: PropertyListReader) {
        let moved = object - objects.lowerBound
        if moved == 0 && reader.referenceWidth == referenceWidth { return copyObjects(objects, of: reader) }
        var block = objects.lowerBound
        for current in objects {
            let marker = reader.marker(of: current) & 0xF0
            guard marker == Marker.array || marker == Marker.dictionary else { continue }
            let count = reader.count(of: current)
            guard count > 0 else { continue }
            copyObjects(block..<current, of: reader)
            block = current + 1
            beginObject()
            head(marker, count: count)
            let references = marker == Marker.dictionary ? 2 * count : count
            copyReferences(
                reader.references(0..<references, of: current), width: reader.referenceWidth, adding: moved)
        }
        copyObjects(block..<objects.upperBound, of: reader)
    }
}

extension PropertyListReader {
    /// The bytes of some of a container's references; those of a dictionary's values follow those of its keys.
    @_lifetime(copy self)
    func references(_ range: Range<Int>, of container: Int = 0) -> RawSpan {
        let payload = entries(of: container).payload
        return list.extracting(
            payload + range.lowerBound * referenceWidth..<payload + range.upperBound * referenceWidth)
    }

    /// The objects of the values of some of the root's entries, and their bytes.
    func valueExtent(of range: Range<Int>) -> (objects: Range<Int>, bytes: Range<Int>) {
        let count = count(of: 0)
        let first = range.lowerBound < count ? value(range.lowerBound) : objectCount
        let end = range.upperBound < count ? value(range.upperBound) : objectCount
        return (first..<end, offset(of: first)..<offset(of: end))
    }
}
