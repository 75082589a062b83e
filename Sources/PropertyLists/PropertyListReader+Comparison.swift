internal import SecureMemory

// The canonical order of objects makes equal values equal object by object, so nothing here recurses.
extension PropertyListReader {
    /// Whether two values are equal, types and all: a real is never equal to an integer.
    ///
    /// - Parameters:
    ///   - object: the value in this list.
    ///   - other: the value in the other list.
    ///   - reader: the other list, which may be this one.
    package func isEqual(_ object: Int, to other: Int, of reader: PropertyListReader) -> Bool {
        let objects = subtree(of: object).objects
        guard reader.subtree(of: other).objects.count == objects.count else { return false }
        return (0..<objects.count).allSatisfy { isSameObject(object + $0, as: other + $0, of: reader) }
    }

    /// Compares two objects without what they refer to: all bytes of a leaf, kind and count of a container.
    private func isSameObject(_ object: Int, as other: Int, of reader: PropertyListReader) -> Bool {
        let (mine, theirs) = (offset(of: object), reader.offset(of: other))
        let marker = list.byte(at: mine)
        guard marker == reader.list.byte(at: theirs) else { return false }
        if marker & 0xF0 == Marker.array || marker & 0xF0 == Marker.dictionary {
            return head(at: mine).count == reader.head(at: theirs).count
        }
        let left = list.extracting(mine..<offset(of: object + 1))
        return left.equals(reader.list.extracting(theirs..<reader.offset(of: other + 1)))
    }

    /// Visits the keys under which two root dictionaries differ, in their order.
    ///
    /// - Parameters:
    ///   - reader: the dictionary to compare with.
    ///   - visit: takes the list and the number of a key that has another value there, or that only one of the two has;
    ///     returns whether to go on.
    package func visitDifferences<Failure: Error>(
        from reader: PropertyListReader, _ visit: (PropertyListReader, Int) throws(Failure) -> Bool
    ) throws(Failure) {
        let (count, otherCount) = (count(of: 0), reader.count(of: 0))
        var (index, otherIndex) = (0, 0)
        while index < count || otherIndex < otherCount {
            let order =
                index == count
                ? 1
                : otherIndex == otherCount ? -1 : text(key(index)).compare(reader.text(reader.key(otherIndex)))
            if order < 0 {
                guard try visit(self, key(index)) else { return }
                index += 1
            } else if order > 0 {
                guard try visit(reader, reader.key(otherIndex)) else { return }
                otherIndex += 1
            } else {
                if !isEqual(value(index), to: reader.value(otherIndex), of: reader) {
                    guard try visit(self, key(index)) else { return }
                }
                index += 1
                otherIndex += 1
            }
        }
    }
}
