extension PropertyListReader {
    /// The number of elements of an array, or of entries of a dictionary.
    package func count(of container: Int) -> Int { entries(of: container).count }

    /// The number of an array's element.
    ///
    /// - Parameters:
    ///   - index: 0 up to the count; out of range traps.
    ///   - array: the array.
    package func element(_ index: Int, of array: Int) -> Int {
        let (count, payload, isDictionary) = entries(of: array)
        precondition(!isDictionary && index >= 0 && index < count, "no such element")
        return list.number(at: payload + index * referenceWidth, width: referenceWidth)
    }

    /// The number of an entry's key: the keys follow their dictionary.
    ///
    /// - Parameters:
    ///   - index: 0 up to the count; out of range traps.
    ///   - dictionary: the dictionary.
    package func key(_ index: Int, of dictionary: Int = 0) -> Int {
        let (count, _, isDictionary) = entries(of: dictionary)
        precondition(isDictionary && index >= 0 && index < count, "no such entry")
        return dictionary + 1 + index
    }

    /// The number of an entry's value.
    ///
    /// - Parameters:
    ///   - index: 0 up to the count; out of range traps.
    ///   - dictionary: the dictionary.
    package func value(_ index: Int, of dictionary: Int = 0) -> Int {
        let (count, payload, isDictionary) = entries(of: dictionary)
        precondition(isDictionary && index >= 0 && index < count, "no such entry")
        return list.number(at: payload + (count + index) * referenceWidth, width: referenceWidth)
    }

    /// Finds the entry with a name, by binary search in place.
    ///
    /// - Parameters:
    ///   - name: UTF-8; other bytes are never found.
    ///   - dictionary: the dictionary to search.
    /// - Returns: the place of the entry and the number of its value.
    package func find(_ name: RawSpan, in dictionary: Int = 0) -> (index: Int, value: Int)? {
        let (index, isFound) = place(of: name, in: dictionary)
        return isFound ? (index, value(index, of: dictionary)) : nil
    }

    /// The place of the first entry behind a name, which may be the count; there need not be an entry of the name.
    package func firstIndex(after name: RawSpan, in dictionary: Int = 0) -> Int {
        let (index, isFound) = place(of: name, in: dictionary)
        return isFound ? index + 1 : index
    }

    /// Where a name stands among the keys, or would stand.
    func place(of name: RawSpan, in dictionary: Int) -> (index: Int, isFound: Bool) {
        let (count, _, isDictionary) = entries(of: dictionary)
        precondition(isDictionary, "the object is of another kind")
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let order = text(dictionary + 1 + middle).compare(utf8: name)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The objects of a value and all that is in it, which follow one another, and the bytes they take.
    package func subtree(of object: Int) -> (objects: Range<Int>, bytes: Range<Int>) {
        // The last child ends where its parent ends.
        var last = object
        while true {
            let marker = marker(of: last) & 0xF0
            guard marker == Marker.array || marker == Marker.dictionary else { break }
            let (count, payload, isDictionary) = entries(of: last)
            guard count > 0 else { break }
            let index = isDictionary ? 2 * count - 1 : count - 1
            let child = list.number(at: payload + index * referenceWidth, width: referenceWidth)
            precondition(child > last, "objects out of order")
            last = child
        }
        return (object..<last + 1, offset(of: object)..<offset(of: last + 1))
    }

    /// The count of a container, where its references start, and whether each entry has two.
    @inline(__always)
    func entries(of container: Int) -> (count: Int, payload: Int, isDictionary: Bool) {
        let offset = offset(of: container)
        let marker = list.byte(at: offset) & 0xF0
        precondition(marker == Marker.array || marker == Marker.dictionary, "the object is of another kind")
        let (count, payload) = head(at: offset)
        return (count, payload, marker == Marker.dictionary)
    }
}
