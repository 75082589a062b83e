package import SecureMemory

/// Puts changes into a canonical dictionary and writes the result straight into a caller's buffer.
///
/// A change can be made of changes to a dictionary below. The plan takes time for the changes alone, and knows the
/// exact size. Writing copies what stays in blocks: a value's objects follow one another, so moving them adds one
/// number to their references and table entries.
package struct DictionaryMerge: ~Escapable {
    /// What a change puts under a name.
    package indirect enum Value: Sendable {
        /// A list among the new values, whose root is the value.
        case list(Range<Int>)
        /// A value that the base has, with all that is in it.
        case base(Int)
        /// A value of the other list, with all that is in it.
        case other(Int)
        case integer(Int64)
        /// Data of so many bytes, which stay as they are in the buffer: for the caller to fill.
        case room(Int)
        /// A dictionary of the base, or an empty one, with changes of its own.
        case dictionary(of: Int?, [Change])
    }

    /// One entry to set or to remove.
    package struct Change: Sendable {
        /// The key, in UTF-8.
        package let name: [UInt8]
        /// The new value; nil removes the entry.
        package let value: Value?

        /// Sets an entry, or removes it when the value is nil.
        ///
        /// - Parameters:
        ///   - name: the key, in UTF-8.
        ///   - value: where the new value stands among the values, as a whole list whose root it is.
        package init(name: [UInt8], value: Range<Int>?) {
            self.name = name
            self.value = value.map { .list($0) }
        }

        /// Sets an entry to a value of any kind, or removes it when the value is nil.
        package init(_ name: [UInt8], _ value: Value?) {
            self.name = name
            self.value = value
        }
    }

    let sources: MergeSources
    private let plan: MergePlan
    private let shape: ListShape

    /// The number of entries of the result.
    package var entryCount: Int { plan.totals.entries }

    /// The number of bytes of the result.
    package var byteCount: Int { shape.byteCount }

    /// Entries of the base that stay, and the change that follows them, from the first entry to the last.
    package var steps: [(kept: Range<Int>, change: Int?)] { plan.steps }

    /// Plans a merge.
    ///
    /// - Parameters:
    ///   - base: a dictionary that has passed `CanonicalCheck`.
    ///   - changes: ascending by the bytes of their names, here and below. Removing what is not there changes nothing.
    ///   - values: the new values; each is checked here.
    ///   - other: another list that has passed the check, or nothing.
    ///   - maximumDepth: the deepest container of the result.
    ///   - names: what the changed names of the root have to be.
    /// - Throws: `tooLarge` and `tooDeep` for the limits, `duplicateKey` for two changes of one name, `malformed` for
    ///   changes out of order and names that are not UTF-8 or break the rule, and what `CanonicalCheck` says of a value.
    @_lifetime(copy base, copy values, copy other)
    package init(
        base: RawSpan, changes: [Change], values: RawSpan, other: RawSpan = RawSpan(),
        maximumDepth: Int = PropertyListLimits.settingsDepth, names: NameRule = .settings
    ) throws(PropertyListError) {
        let sources = MergeSources(base: PropertyListReader(trusted: base), other: other, values: values)
        plan = try MergePlan(of: 0, changes, from: sources, maximumDepth: maximumDepth, names: names)
        shape = try plan.totals.shape()
        self.sources = sources
    }

    /// Writes the result.
    ///
    /// - Parameters:
    ///   - buffer: writable, with room for `byteCount` bytes; too little traps.
    ///   - offset: where the list starts in it.
    package func write(into buffer: inout GuardedBuffer, at offset: Int) {
        var bytes = buffer.mutableBytes
        var writer = ListWriter(bytes._mutatingExtracting(offset..<offset + byteCount), shape: shape)
        writer.write(plan, from: sources)
        writer.finish()
    }
}

/// Where the values of a merge come from.
struct MergeSources: ~Escapable {
    let base: PropertyListReader
    private let otherList: RawSpan
    private let values: RawSpan

    @_lifetime(copy base, copy other, copy values)
    init(base: PropertyListReader, other: RawSpan, values: RawSpan) {
        self.base = base
        otherList = other
        self.values = values
    }

    /// The other list; asking for it traps where there is none.
    var other: PropertyListReader {
        @_lifetime(copy self)
        get { PropertyListReader(trusted: otherList) }
    }

    /// One of the new values, as it was given.
    ///
    /// - Throws: `malformed` when it lies outside the values.
    @_lifetime(copy self)
    func list(_ range: Range<Int>) throws(PropertyListError) -> RawSpan {
        guard range.lowerBound >= 0, range.upperBound <= values.byteCount else { throw PropertyListError(.malformed) }
        return values.extracting(range)
    }

    /// One of the new values, once it was checked.
    @_lifetime(copy self)
    func checkedList(_ range: Range<Int>) -> PropertyListReader {
        PropertyListReader(trusted: values.extracting(range))
    }
}
