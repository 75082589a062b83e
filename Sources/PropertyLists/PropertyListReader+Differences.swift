extension PropertyListReader {
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
                if !isEqual(value(index), to: reader, reader.value(otherIndex)) {
                    guard try visit(self, key(index)) else { return }
                }
                index += 1
                otherIndex += 1
            }
        }
    }
}
