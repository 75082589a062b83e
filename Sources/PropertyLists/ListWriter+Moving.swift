extension ListWriter {
    /// Writes whole values of another list, whose references move as the objects do.
    ///
    /// - Parameters:
    ///   - objects: one value with all that is in it, or several.
    ///   - reader: the list that they come from.
    mutating func moveObjects(_ objects: Range<Int>, of reader: PropertyListReader) {
        let moved = object - objects.lowerBound
        guard reader.referenceWidth == referenceWidth else { return resizeObjects(objects, of: reader, adding: moved) }
        let bytesMoved = position - reader.offset(of: objects.lowerBound)
        copyObjects(objects, of: reader)
        guard moved != 0 else { return }
        for current in objects {
            guard let row = reader.referenceBytes(of: current) else { continue }
            overwriteReferences(
                reader.list.extracting(row), width: referenceWidth, adding: moved, at: row.lowerBound + bytesMoved)
        }
    }

    /// Writes whole values whose references get another width: blocks of leaves, and the containers between them.
    private mutating func resizeObjects(_ objects: Range<Int>, of reader: PropertyListReader, adding moved: Int) {
        var block = objects.lowerBound
        for current in objects {
            guard let row = reader.referenceBytes(of: current) else { continue }
            copyObjects(block..<current, of: reader)
            block = current + 1
            beginObject()
            copy(reader.list.extracting(reader.offset(of: current)..<row.lowerBound))
            copyReferences(reader.list.extracting(row), width: reader.referenceWidth, adding: moved)
        }
        copyObjects(block..<objects.upperBound, of: reader)
    }
}

extension PropertyListReader {
    /// Where an object's references stand; nil when it has none.
    @inline(__always)
    func referenceBytes(of object: Int) -> Range<Int>? {
        let offset = offset(of: object)
        let marker = list.byte(at: offset)
        let kind = marker & 0xF0
        guard kind == Marker.array || kind == Marker.dictionary, marker & 0x0F != 0 else { return nil }
        let (count, payload) = head(at: offset)
        return payload..<payload + (kind == Marker.dictionary ? 2 * count : count) * referenceWidth
    }

    /// Some of a dictionary's references; those of the values follow those of the keys.
    @_lifetime(copy self)
    func references(_ range: Range<Int>, of dictionary: Int) -> RawSpan {
        let payload = entries(of: dictionary).payload
        return list.extracting(
            payload + range.lowerBound * referenceWidth..<payload + range.upperBound * referenceWidth)
    }

    /// The objects of the values of some of a dictionary's entries, and their bytes.
    func valueExtent(of range: Range<Int>, in dictionary: Int) -> (objects: Range<Int>, bytes: Range<Int>) {
        let count = count(of: dictionary)
        let end =
            range.upperBound < count
            ? value(range.upperBound, of: dictionary) : subtree(of: dictionary).objects.upperBound
        let first = range.lowerBound < count ? value(range.lowerBound, of: dictionary) : end
        return (first..<end, offset(of: first)..<offset(of: end))
    }
}
