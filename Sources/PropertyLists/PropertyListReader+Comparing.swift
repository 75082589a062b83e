internal import SecureMemory

extension PropertyListReader {
    /// Whether two values are the same, with all that is in them: what is written in one form is compared as bytes.
    ///
    /// - Parameters:
    ///   - object: a value of this list.
    ///   - other: the list of the other value.
    ///   - otherObject: the other value.
    package func isEqual(_ object: Int, to other: PropertyListReader, _ otherObject: Int) -> Bool {
        let own = subtree(of: object)
        let theirs = other.subtree(of: otherObject)
        guard own.objects.count == theirs.objects.count else { return false }
        // The order of the objects and the counts of the containers say which is in which, so references say nothing.
        for index in 0..<own.objects.count {
            let left = contents(of: own.objects.lowerBound + index)
            let right = other.contents(of: theirs.objects.lowerBound + index)
            guard left.equals(right) else { return false }
        }
        return true
    }

    /// The bytes of one object, without its references.
    @_lifetime(copy self)
    private func contents(of object: Int) -> RawSpan {
        let start = offset(of: object)
        guard let references = referenceBytes(of: object) else {
            return list.extracting(start..<offset(of: object + 1))
        }
        return list.extracting(start..<references.lowerBound)
    }

    /// Where the bytes of a data object stand in the list.
    package func dataRange(of object: Int) -> Range<Int> {
        let (count, payload) = head(at: offset(of: object))
        return payload..<payload + count
    }
}
