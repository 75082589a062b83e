/// Says whether a list is the one canonical encoding of its value.
///
/// One pass over the objects in their order, without allocation and without trust in any byte. What passes can be
/// read by `PropertyListReader` without another check.
package enum CanonicalCheck {
    /// The deepest nesting that a check can be asked to allow.
    package static let deepest = 64

    /// Checks a whole list.
    ///
    /// Specified in the file format, *Settings and metadata*.
    ///
    /// - Parameters:
    ///   - list: any bytes.
    ///   - maximumDepth: the deepest container, the root being at depth 1; over 64 counts as 64.
    ///   - requireDictionary: whether the root has to be a dictionary.
    ///   - names: what the root's keys have to be.
    /// - Throws: `notAPropertyList` without the header, `truncated` without room for a trailer, `tooLarge`, `tooDeep`
    ///   and `duplicateKey` for the limits and equal keys, `unsupportedType` for kinds that are not values,
    ///   `malformed` for what cannot be read, `notCanonical` for all that is written in another way.
    package static func check(
        _ list: RawSpan, maximumDepth: Int, requireDictionary: Bool = true, names: NameRule
    ) throws(PropertyListError) {
        let layout = try ListLayout(checking: list)
        if requireDictionary && list.byte(at: 8) & 0xF0 != Marker.dictionary {
            throw PropertyListError(.malformed, at: 8)
        }
        var pass = ObjectPass(list: list, layout: layout, names: names)
        try pass.run(maximumDepth: min(maximumDepth, deepest))
    }
}

/// The facts of a canonical trailer.
struct ListLayout {
    let offsetWidth: Int
    let referenceWidth: Int
    let objectCount: Int
    let tableOffset: Int

    /// Checks the header, the trailer and the size of the whole.
    init(checking list: RawSpan) throws(PropertyListError) {
        try PropertyListLimits.checkOutside(of: list)
        let trailer = list.byteCount - 32
        offsetWidth = Int(list.byte(at: trailer + 6))
        referenceWidth = Int(list.byte(at: trailer + 7))
        let count = list.bigEndian(at: trailer + 8, as: UInt64.self)
        let table = list.bigEndian(at: trailer + 24, as: UInt64.self)
        guard count > 0, table > 8, table < UInt64(trailer) else { throw PropertyListError(.malformed, at: trailer) }
        guard count <= UInt64(PropertyListLimits.objects) else {
            throw PropertyListError(.tooManyObjects, at: trailer + 8)
        }
        objectCount = Int(count)
        tableOffset = Int(table)
        guard list.bigEndian(at: trailer, as: UInt64.self) >> 16 == 0,
            offsetWidth == leastWidth(for: tableOffset),
            referenceWidth == leastWidth(for: objectCount - 1),
            list.bigEndian(at: trailer + 16, as: UInt64.self) == 0,
            tableOffset + objectCount * offsetWidth == trailer
        else { throw PropertyListError(.notCanonical, at: trailer) }
    }
}
