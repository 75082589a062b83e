internal import SecureMemory

/// What becomes of one dictionary of a merge: what stays of it in blocks, and what comes between them.
struct MergePlan: Sendable {
    typealias Change = DictionaryMerge.Change

    /// The dictionary's object in the base; nil for one that begins empty.
    let base: Int?
    let baseCount: Int
    let changes: [Change]
    /// Entries of the base that stay, and the change that follows them.
    let steps: [(kept: Range<Int>, change: Int?)]
    /// The plans of the changes that change dictionaries below.
    let nested: [Int: MergePlan]
    let totals: DictionaryTotals

    /// Plans the changes of one dictionary.
    ///
    /// - Parameters:
    ///   - base: its object in the base, if there is one.
    ///   - changes: ascending by the bytes of their names.
    ///   - sources: where the values come from.
    ///   - maximumDepth: the deepest container from here on, this one being at depth 1.
    ///   - names: what the changed names have to be.
    init(
        of base: Int?, _ changes: [Change], from sources: MergeSources, maximumDepth: Int, names: NameRule
    ) throws(PropertyListError) {
        guard maximumDepth > 0 else { throw PropertyListError(.tooDeep) }
        let reader = sources.base
        let count = base.map { reader.count(of: $0) } ?? 0
        var totals = DictionaryTotals(of: reader, base)
        var steps: [(kept: Range<Int>, change: Int?)] = []
        steps.reserveCapacity(changes.count + 1)
        var nested: [Int: MergePlan] = [:]
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
            let (place, isFound) = base.map { reader.place(of: name, in: $0) } ?? (0, false)
            if isFound, let base { totals.drop(place, of: reader, base) }
            if let value = changes[index].value {
                guard names == .any || NameRule.isSettingName(utf8: name) else { throw PropertyListError(.malformed) }
                if case .dictionary(let object, let changes) = value {
                    let plan = try MergePlan(
                        of: object, changes, from: sources, maximumDepth: maximumDepth - 1, names: .any)
                    try totals.add(EncodedString(utf8: name), plan.totals.size)
                    nested[index] = plan
                } else {
                    let size = try Self.size(of: value, in: sources, maximumDepth: maximumDepth - 1)
                    try totals.add(EncodedString(utf8: name), size)
                }
                steps.append((next..<place, index))
            } else if isFound {
                steps.append((next..<place, nil))
            } else {
                continue
            }
            next = isFound ? place + 1 : place
        }
        steps.append((next..<count, nil))
        self.base = base
        baseCount = count
        self.changes = changes
        self.steps = steps
        self.nested = nested
        self.totals = totals
    }

    /// Checks and measures a value that is taken as it is.
    private static func size(
        of value: DictionaryMerge.Value, in sources: MergeSources, maximumDepth: Int
    ) throws(PropertyListError) -> ObjectsSize {
        switch value {
        case .list(let range):
            let list = try sources.list(range)
            try CanonicalCheck.check(list, maximumDepth: maximumDepth, requireDictionary: false, names: .any)
            return PropertyListReader(trusted: list).size(of: 0)
        case .base(let object):
            guard sources.base.depth(of: object) <= maximumDepth else { throw PropertyListError(.tooDeep) }
            return sources.base.size(of: object)
        case .other(let object):
            guard sources.other.depth(of: object) <= maximumDepth else { throw PropertyListError(.tooDeep) }
            return sources.other.size(of: object)
        case .integer(let number): return ObjectsSize(objects: 1, payload: 1 + integerWidth(of: number))
        case .room(let count): return ObjectsSize(objects: 1, payload: headLength(count: count) + count)
        // Has a plan of its own.
        case .dictionary: return ObjectsSize(objects: 0, payload: 0)
        }
    }

    /// The number of objects of a changed value.
    func objectCount(ofChange index: Int, in sources: MergeSources) -> Int {
        switch changes[index].value {
        case .list(let range): sources.checkedList(range).objectCount
        case .base(let object): sources.base.subtree(of: object).objects.count
        case .other(let object): sources.other.subtree(of: object).objects.count
        case .integer, .room: 1
        case .dictionary: nested[index]?.totals.size.objects ?? 0
        case nil: 0
        }
    }
}

extension PropertyListReader {
    /// What a value and all that is in it take: every object but the first is referenced once in there.
    fileprivate func size(of object: Int) -> ObjectsSize {
        let (objects, bytes) = subtree(of: object)
        return ObjectsSize(objects: objects.count, payload: bytes.count - (objects.count - 1) * referenceWidth)
    }

    /// How deep containers are nested in a value: 0 for a leaf.
    fileprivate func depth(of object: Int) -> Int {
        switch kind(of: object) {
        case .array:
            var deepest = 0
            for index in 0..<count(of: object) { deepest = max(deepest, depth(of: element(index, of: object))) }
            return 1 + deepest
        case .dictionary:
            var deepest = 0
            for index in 0..<count(of: object) { deepest = max(deepest, depth(of: value(index, of: object))) }
            return 1 + deepest
        default: return 0
        }
    }
}
