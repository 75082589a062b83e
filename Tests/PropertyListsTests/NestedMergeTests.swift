import PropertyLists
import SecureMemory
import Testing

/// Merges that change dictionaries below the root, or take values from elsewhere.
@Suite struct NestedMergeTests {
    typealias Entries = [Value.Key: Value]

    private func merged(
        _ base: Value, _ changes: [DictionaryMerge.Change], values: [UInt8] = [], other: [UInt8] = [],
        depth: Int = 64
    ) throws -> [UInt8] {
        let list = try base.list()
        let plan = try unsafe DictionaryMerge(
            base: list.span.bytes, changes: changes, values: values.span.bytes, other: other.span.bytes,
            maximumDepth: depth, names: .any)
        var buffer = try GuardedBuffer(count: plan.byteCount + 3)
        plan.write(into: &buffer, at: 3)
        return Array(Array(copying: buffer.bytes)[3...])
    }

    /// The object of an entry of the root.
    private func object(_ name: Value.Key, in list: [UInt8]) throws -> Int {
        let utf8 = name.utf8
        let reader = unsafe PropertyListReader(trusted: list.span.bytes)
        let found = unsafe reader.find(utf8.span.bytes)?.value
        return try #require(found)
    }

    @Test("changes of a dictionary below give the canonical list of the changed whole", arguments: 0..<60)
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func entries(_ most: Int) -> Entries {
            var entries: Entries = [:]
            // Some with so many objects that references and offsets change their width.
            for _ in 0..<Int.random(in: 0...most, using: &generator) {
                entries[.init(Value.randomText(&generator))] = Value.random(depth: 2, using: &generator)
            }
            return entries
        }
        var root = entries(5)
        let inner = entries([3, 60, 140].randomElement(using: &generator) ?? 3)
        let isThere = Bool.random(using: &generator)
        root["inner"] = isThere ? .dictionary(inner) : nil
        let other: Entries = ["x": Value.random(depth: 3, using: &generator), "y": .integer(1)]
        let otherList = try Value.dictionary(other).list()
        let baseList = try Value.dictionary(root).list()
        let values = try Value.random(depth: 2, using: &generator).list()
        let value = Value(list: values)

        var model = isThere ? inner : [:]
        var changes: [Value.Key: DictionaryMerge.Value?] = [:]
        let names = Array(inner.keys).sorted().filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        for name in names + [Value.Key(Value.randomText(&generator)), Value.Key("new")] {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                changes.updateValue(nil, forKey: name)
                model[name] = nil
            case 1:
                changes[name] = .list(0..<values.count)
                model[name] = value
            case 2:
                changes[name] = .other(try object("x", in: otherList))
                model[name] = other["x"]
            case 3:
                let number =
                    Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0..<64, using: &generator)
                changes[name] = .integer(number)
                model[name] = .integer(number)
            default:
                guard let (key, kept) = root.first else { continue }
                changes[name] = .base(try object(key, in: baseList))
                model[name] = kept
            }
        }
        let sorted = changes.sorted { $0.key < $1.key }.map { DictionaryMerge.Change($0.key.utf8, $0.value) }
        let change = DictionaryMerge.Change(
            Array("inner".utf8), .dictionary(of: isThere ? try object("inner", in: baseList) : nil, sorted))
        let result = try merged(.dictionary(root), [change], values: values, other: otherList)
        root["inner"] = .dictionary(model)
        let expected = try Value.dictionary(root).list()
        #expect((result == expected) == true)
    }

    @Test("room is left for data that are filled later")
    func room() throws {
        for size in [0, 3, 14, 15, 300, 70_000] {
            let result = try merged(
                .dictionary(["a": .array([.integer(1)]), "z": .integer(2)]), [.init(Array("m".utf8), .room(size))])
            let expected = Value.dictionary([
                "a": .array([.integer(1)]), "m": .data(Array(repeating: 0, count: size)), "z": .integer(2),
            ])
            #expect(try result == expected.list())
        }
    }

    @Test("depth is counted down to the values, wherever they come from")
    func depth() throws {
        let value = Value.array([.dictionary(["k": .array([.integer(1)])])])
        let base = Value.dictionary(["v": value])
        let list = try base.list()
        let object = try object("v", in: list)
        for source in [DictionaryMerge.Value.base(object), .other(object)] {
            let change = [DictionaryMerge.Change([97], .dictionary(of: nil, [.init([98], source)]))]
            #expect(throws: Never.self) { try merged(base, change, other: list, depth: 5) }
            #expect(throws: PropertyListError(.tooDeep)) { try merged(base, change, other: list, depth: 4) }
        }
        let empty = [DictionaryMerge.Change([97], .dictionary(of: nil, []))]
        #expect(throws: PropertyListError(.tooDeep)) { try merged(.dictionary([:]), empty, depth: 1) }
    }

    @Test("values are equal when all that is in them is", arguments: 0..<40)
    func equality(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let values = (0..<6).map { _ in Value.random(depth: 2, using: &generator) } + [.array([]), .dictionary([:])]
        // Beside others, so that places and reference widths differ.
        let many = (0..<300).map { Value.integer($0) }
        for left in values {
            for right in values {
                let one = try Value.array([left]).list()
                let two = try Value.array([.array(many), right]).list()
                let first = unsafe PropertyListReader(trusted: one.span.bytes)
                let second = unsafe PropertyListReader(trusted: two.span.bytes)
                let isEqual = first.isEqual(first.element(0, of: 0), to: second, second.element(1, of: 0))
                #expect(isEqual == (left == right))
            }
        }
    }
}
