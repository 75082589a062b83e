extension ListWriter {
    /// Writes a dictionary as it is planned, with all that is in it.
    mutating func write(_ plan: MergePlan, from sources: MergeSources) {
        let dictionary = object
        let base = sources.base
        beginObject()
        head(Marker.dictionary, count: plan.totals.entries)
        writeKeyReferences(of: plan, at: dictionary, from: base)
        writeValueReferences(of: plan, at: dictionary, from: sources)
        for step in plan.steps {
            if let object = plan.base {
                copyObjects(object + 1 + step.kept.lowerBound..<object + 1 + step.kept.upperBound, of: base)
            }
            if let change = step.change {
                let name = plan.changes[change].name
                unsafe string(EncodedString(wellFormed: name.span.bytes))
            }
        }
        for step in plan.steps {
            if let object = plan.base { copyValues(of: step.kept, in: object, of: base) }
            if let change = step.change { write(change, of: plan, from: sources) }
        }
    }

    /// Writes the numbers of the keys, which follow the dictionary; as far as the base has them, from there.
    private mutating func writeKeyReferences(of plan: MergePlan, at dictionary: Int, from base: PropertyListReader) {
        var kept = 0
        if let object = plan.base {
            kept = min(plan.baseCount, plan.totals.entries)
            copyReferences(
                base.references(0..<kept, of: object), width: base.referenceWidth, adding: dictionary - object)
        }
        for index in kept..<plan.totals.entries { reference(to: dictionary + 1 + index) }
    }

    private mutating func writeValueReferences(of plan: MergePlan, at dictionary: Int, from sources: MergeSources) {
        let base = sources.base
        var next = dictionary + 1 + plan.totals.entries
        for step in plan.steps {
            if let object = plan.base, !step.kept.isEmpty {
                let objects = base.valueExtent(of: step.kept, in: object).objects
                let references = step.kept.lowerBound + plan.baseCount..<step.kept.upperBound + plan.baseCount
                copyReferences(
                    base.references(references, of: object), width: base.referenceWidth,
                    adding: next - objects.lowerBound)
                next += objects.count
            }
            if let change = step.change {
                reference(to: next)
                next += plan.objectCount(ofChange: change, in: sources)
            }
        }
    }

    /// Copies values; where there are no more objects than entries, none of them holds a reference.
    private mutating func copyValues(of entries: Range<Int>, in dictionary: Int, of base: PropertyListReader) {
        let objects = base.valueExtent(of: entries, in: dictionary).objects
        if objects.count == entries.count {
            copyObjects(objects, of: base)
        } else {
            moveObjects(objects, of: base)
        }
    }

    private mutating func write(_ change: Int, of plan: MergePlan, from sources: MergeSources) {
        switch plan.changes[change].value {
        case .list(let range):
            let reader = sources.checkedList(range)
            moveObjects(0..<reader.objectCount, of: reader)
        case .base(let object): moveObjects(sources.base.subtree(of: object).objects, of: sources.base)
        case .other(let object): moveObjects(sources.other.subtree(of: object).objects, of: sources.other)
        case .integer(let number):
            beginObject()
            integer(number)
        case .room(let count):
            beginObject()
            head(Marker.data, count: count)
            skip(count)
        case .dictionary:
            if let plan = plan.nested[change] { write(plan, from: sources) }
        case nil: break
        }
    }
}
