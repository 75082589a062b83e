package import SecureMemory

/// Puts changes into a canonical dictionary and writes the result straight into a caller's buffer.
///
/// The plan takes time for the changes alone, and knows the exact size. Writing copies what stays in blocks: a
/// value's objects follow one another, so moving them adds one number to their references and table entries.
package struct DictionaryMerge: ~Escapable {
    /// One entry to set or to remove.
    package struct Change: Sendable {
        /// The key, in UTF-8.
        package let name: [UInt8]
        /// Where the new value stands among the values, as a whole list whose root it is; nil removes the entry.
        package let value: Range<Int>?

        /// Sets an entry, or removes it when the value is nil.
        package init(name: [UInt8], value: Range<Int>?) {
            self.name = name
            self.value = value
        }
    }

    /// Entries of the base that stay, and the change that follows them.
    private struct Step {
        let kept: Range<Int>
        let change: Int?
    }

    private let base: PropertyListReader
    private let baseCount: Int
    private let changes: [Change]
    private let values: RawSpan
    private let steps: [Step]
    private let shape: ListShape
    /// The number of entries of the result.
    package let entryCount: Int

    /// The number of bytes of the result.
    package var byteCount: Int { shape.byteCount }

    /// Plans a merge.
    ///
    /// - Parameters:
    ///   - base: a dictionary that has passed `CanonicalCheck`.
    ///   - changes: ascending by the bytes of their names. Removing what is not there changes nothing.
    ///   - values: the new values; each is checked here.
    ///   - maximumDepth: the deepest container of the result.
    ///   - names: what the changed names have to be.
    /// - Throws: `tooLarge` and `tooDeep` for the limits, `duplicateKey` for two changes of one name, `malformed` for
    ///   changes out of order and names that are not UTF-8 or break the rule, and what `CanonicalCheck` says of a value.
    @_lifetime(copy base, copy values)
    package init(
        base: RawSpan, changes: [Change], values: RawSpan,
        maximumDepth: Int = PropertyListLimits.settingsDepth, names: NameRule = .settings
    ) throws(PropertyListError) {
        let reader = PropertyListReader(trusted: base)
        var totals = DictionaryTotals(of: reader)
        var steps: [Step] = []
        steps.reserveCapacity(changes.count + 1)
        var next = 0
        for index in changes.indices {
            // Bound to names of their own, because a span cannot outlive the array that it lends from.
            let bytes = changes[index].name
            let name = unsafe bytes.span.bytes
            if index > 0 {
                let before = changes[index - 1].name
                let order = unsafe before.span.bytes.compareBytes(name)
                guard order < 0 else { throw PropertyListError(order == 0 ? .duplicateKey : .malformed) }
            }
            let (place, isFound) = reader.place(of: name, in: 0)
            if isFound { totals.drop(place, of: reader) }
            if let range = changes[index].value {
                guard names == .any || NameRule.isSettingName(utf8: name) else { throw PropertyListError(.malformed) }
                guard range.lowerBound >= 0, range.upperBound <= values.byteCount else {
                    throw PropertyListError(.malformed)
                }
                let value = values.extracting(range)
                try CanonicalCheck.check(value, maximumDepth: maximumDepth - 1, requireDictionary: false, names: .any)
                try totals.add(EncodedString(utf8: name), PropertyListReader(trusted: value))
                steps.append(Step(kept: next..<place, change: index))
            } else if isFound {
                steps.append(Step(kept: next..<place, change: nil))
            } else {
                continue
            }
            next = isFound ? place + 1 : place
        }
        steps.append(Step(kept: next..<reader.count(of: 0), change: nil))
        shape = try totals.shape()
        entryCount = totals.entries
        baseCount = reader.count(of: 0)
        self.base = reader
        self.changes = changes
        self.values = values
        self.steps = steps
    }

    /// Writes the result.
    ///
    /// - Parameters:
    ///   - buffer: writable, with room for `byteCount` bytes; too little traps.
    ///   - offset: where the list starts in it.
    package func write(into buffer: inout GuardedBuffer, at offset: Int) {
        var bytes = buffer.mutableBytes
        var writer = ListWriter(bytes._mutatingExtracting(offset..<offset + byteCount), shape: shape)
        writer.beginObject()
        writer.head(Marker.dictionary, count: entryCount)
        writeKeyReferences(to: &writer)
        writeValueReferences(to: &writer)
        for step in steps {
            writer.copyObjects(step.kept.lowerBound + 1..<step.kept.upperBound + 1, of: base)
            if let change = step.change, changes[change].value != nil {
                let name = changes[change].name
                unsafe writer.string(EncodedString(wellFormed: name.span.bytes))
            }
        }
        for step in steps {
            copyValues(of: step.kept, to: &writer)
            if let value = step.change.flatMap({ changes[$0].value }) {
                let reader = PropertyListReader(trusted: values.extracting(value))
                writer.moveObjects(0..<reader.objectCount, of: reader)
            }
        }
        writer.finish()
    }

    /// Writes 1, 2, 3 …, as far as the base has them from there.
    private func writeKeyReferences(to writer: inout ListWriter) {
        let kept = min(baseCount, entryCount)
        writer.copyReferences(base.rootReferences(0..<kept), width: base.referenceWidth, adding: 0)
        for index in kept..<entryCount { writer.reference(to: index + 1) }
    }

    private func writeValueReferences(to writer: inout ListWriter) {
        var next = entryCount + 1
        for step in steps {
            if !step.kept.isEmpty {
                let objects = base.valueExtent(of: step.kept).objects
                let references = step.kept.lowerBound + baseCount..<step.kept.upperBound + baseCount
                writer.copyReferences(
                    base.rootReferences(references), width: base.referenceWidth, adding: next - objects.lowerBound)
                next += objects.count
            }
            if let value = step.change.flatMap({ changes[$0].value }) {
                writer.reference(to: next)
                next += PropertyListReader(trusted: values.extracting(value)).objectCount
            }
        }
    }

    /// Copies values; where there are no more objects than entries, none of them holds a reference.
    private func copyValues(of entries: Range<Int>, to writer: inout ListWriter) {
        let objects = base.valueExtent(of: entries).objects
        if objects.count == entries.count {
            writer.copyObjects(objects, of: base)
        } else {
            writer.moveObjects(objects, of: base)
        }
    }
}
