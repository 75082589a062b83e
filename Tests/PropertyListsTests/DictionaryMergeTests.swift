import PropertyLists
import SecureMemory
import Testing

@Suite struct DictionaryMergeTests {
    typealias Entries = [Value.Key: Value]

    /// Merges, and checks that the result is the canonical list of the model.
    ///
    /// - Parameter list: the list of the base, when it is known.
    private func expectMerge(
        _ base: Entries, _ changes: [Value.Key: Value?], list: [UInt8]? = nil, offset: Int = 32
    ) throws {
        let merged = try merge(list ?? Value.dictionary(base).list(), changes, offset: offset)
        var model = base
        for (name, value) in changes { model[name] = value }
        let expected = try Value.dictionary(model).list()
        // Not `#expect(merged == expected)`: the lists are too long to print.
        #expect((merged == expected) == true)
        #expect(merged.refusal() == nil)
    }

    private func merge(_ base: [UInt8], _ changes: [Value.Key: Value?], offset: Int = 0) throws -> [UInt8] {
        var values: [UInt8] = []
        var sorted: [DictionaryMerge.Change] = []
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            let start = values.count
            if let value { values += try value.list() }
            sorted.append(.init(name: name.utf8, value: value == nil ? nil : start..<values.count))
        }
        return try merge(base, sorted, values: values, offset: offset)
    }

    private func merge(
        _ base: [UInt8], _ changes: [DictionaryMerge.Change], values: [UInt8], offset: Int = 0, depth: Int = 64,
        names: NameRule = .any
    ) throws -> [UInt8] {
        let plan = try unsafe DictionaryMerge(
            base: base.span.bytes, changes: changes, values: values.span.bytes, maximumDepth: depth, names: names)
        var buffer = try GuardedBuffer(count: offset + plan.byteCount)
        plan.write(into: &buffer, at: offset)
        return Array(Array(copying: buffer.bytes)[offset...])
    }

    private func code(_ body: () throws -> [UInt8]) -> PropertyListError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? PropertyListError)?.code
        }
    }

    @Test("random changes give the canonical list of the changed dictionary", arguments: 0..<60)
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<5 {
            var base: Entries = [:]
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                base[.init(Value.randomText(&generator))] = Value.random(depth: 2, using: &generator)
            }
            var changes: [Value.Key: Value?] = [:]
            for name in base.keys.sorted() where Int.random(in: 0..<4, using: &generator) == 0 {
                changes.updateValue(
                    Bool.random(using: &generator) ? nil : Value.random(depth: 2, using: &generator), forKey: name)
            }
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                changes.updateValue(
                    Int.random(in: 0..<4, using: &generator) == 0 ? nil : Value.random(depth: 2, using: &generator),
                    forKey: .init(Value.randomText(&generator)))
            }
            try expectMerge(base, changes, offset: Int.random(in: 0...40, using: &generator))
        }
    }

    /// A dictionary with so many objects: strings, and every 50th value a list of one string.
    private func dictionary(objects: Int) -> Entries {
        var entries: Entries = [:]
        var count = 1
        var index = 0
        while count + 3 <= objects {
            let isNested = index % 50 == 0
            entries["name-\(index)"] = isNested ? .array([.string("in \(index)")]) : .string("value \(index)")
            count += isNested ? 3 : 2
            index += 1
        }
        while count + 2 <= objects {
            entries["x\(count)"] = .boolean(true)
            count += 2
        }
        if count < objects { entries["y"] = .array([]); count += 2 }
        return entries
    }

    @Test(
        "reference widths change both ways", arguments: [254, 255, 256, 257, 258, 259, 65_536, 65_538])
    func widths(objects: Int) throws {
        let base = dictionary(objects: objects)
        let list = try Value.dictionary(base).list()
        let nested = Value.array([.string("a"), .dictionary(["b": .boolean(false)])])
        try expectMerge(base, ["new": .integer(1)], list: list)
        try expectMerge(base, ["name-2": nested], list: list)
        try expectMerge(base, ["name-0": nil, "name-1": nil, "name-50": .integer(2)], list: list)
    }

    @Test("a value of many objects moves into a small dictionary and out again")
    func largeValues() throws {
        let elements = (0..<300).map { Value.array([.integer(Int64($0))]) }
        let small: Entries = [
            "a": .dictionary(["k": .array([.boolean(true)])]), "z": .string("é"),
        ]
        try expectMerge(small, ["m": .array(elements)])
        try expectMerge(small, ["": .array(elements), "a": nil])
        var large = small
        large["m"] = .array(elements)
        try expectMerge(large, ["m": nil])
        try expectMerge(large, ["m": .array([.array(elements)])])
    }

    @Test("offsets widen where the bytes grow")
    func offsetWidths() throws {
        let base: Entries = ["a": .array([.string("b")]), "c": .dictionary([:])]
        for size in [100, 200, 230, 60_000, 65_500, 66_000] {
            let data = Value.data(Array(repeating: 7, count: size))
            try expectMerge(base, ["b": data])
            var grown = base
            grown["b"] = data
            try expectMerge(grown, ["b": nil])
            try expectMerge(grown, ["a": nil])
        }
    }

    @Test("no change gives the same bytes, and removing all gives the empty dictionary")
    func extremes() throws {
        let base = dictionary(objects: 300)
        try expectMerge(base, [:])
        try expectMerge(base, ["absent": nil])
        try expectMerge(base, Dictionary(uniqueKeysWithValues: base.keys.map { ($0, nil) }))
        try expectMerge([:], ["é": .dictionary([:])])
        try expectMerge([:], base.mapValues { $0 })
    }

    @Test("changes out of order, twice of one name, or with a bad name are refused")
    func badChanges() throws {
        let base = try Value.dictionary([:]).list()
        let value = try Value.boolean(true).list()
        func attempt(_ names: [[UInt8]], _ rule: NameRule = .any) -> PropertyListError.Code? {
            code { try merge(base, names.map { .init(name: $0, value: 0..<value.count) }, values: value, names: rule) }
        }
        #expect(attempt([[98], [97]]) == .malformed)
        #expect(attempt([[97], [97]]) == .duplicateKey)
        #expect(attempt([[0xC3]]) == .malformed)
        #expect(attempt([[0xC3, 0xA9]]) == nil)
        #expect(attempt([[]]) == nil)
        #expect(attempt([[]], .settings) == .malformed)
        #expect(attempt([[0x1F]], .settings) == .malformed)
        #expect(attempt([[0xC2, 0x85]], .settings) == .malformed)
        #expect(attempt([Array(repeating: 97, count: 1_025)], .settings) == .malformed)
        #expect(attempt([Array(repeating: 97, count: 1_024)], .settings) == nil)
    }

    @Test("a value that is no canonical list, or lies outside the values, is refused")
    func badValues() throws {
        let base = try Value.dictionary([:]).list()
        var value = try Value.integer(5).list()
        #expect(code { try merge(base, [.init(name: [97], value: 0..<value.count + 1)], values: value) } == .malformed)
        #expect(code { try merge(base, [.init(name: [97], value: 0..<4)], values: value) } == .notAPropertyList)
        value[value.count - 1] += 1
        #expect(code { try merge(base, [.init(name: [97], value: 0..<value.count)], values: value) } != nil)
    }

    @Test("depth is counted from the root of the result")
    func depth() throws {
        let base = try Value.dictionary([:]).list()
        let value = try (0..<31).reduce(Value.boolean(true)) { inner, _ in .array([inner]) }.list()
        let change = [DictionaryMerge.Change(name: [97], value: 0..<value.count)]
        #expect(code { try merge(base, change, values: value, depth: 32) } == nil)
        #expect(code { try merge(base, change, values: value, depth: 31) } == .tooDeep)
    }

    @Test("more bytes or objects than a list may have are refused before anything is written")
    func limits() throws {
        let base = try Value.dictionary(["a": .data(Array(repeating: 0, count: 1 << 25))]).list()
        let value = try Value.data(Array(repeating: 0, count: 1 << 25)).list()
        let change = [DictionaryMerge.Change(name: [98], value: 0..<value.count)]
        #expect(code { try merge(base, change, values: value) } == .tooLarge)
        // The same value again and again: sums stop early.
        let many = (0..<100).map { DictionaryMerge.Change(name: [99, UInt8($0)], value: 0..<value.count) }
        #expect(code { try merge(base, many, values: value) } == .tooLarge)
    }

    #if !DEBUG
        /// A list of so many objects takes seconds without optimisation.
        @Test("the number of objects is bounded in builder, check and merge alike")
        func objects() throws {
            func list(elements: Int) throws -> [UInt8] {
                var builder = try PropertyListBuilder()
                try builder.beginArray()
                for _ in 0..<elements { try builder.boolean(true) }
                try builder.endArray()
                let buffer = try builder.finish()
                return Array(copying: buffer.bytes)
            }
            let largest = try list(elements: 4_194_303)
            #expect(largest.refusal() == nil)
            #expect(code { try list(elements: 4_194_304) } == .tooManyObjects)
            let base = try Value.dictionary([:]).list()
            let fitting = try list(elements: 4_194_301)
            #expect(code { try merge(base, [.init(name: [97], value: 0..<fitting.count)], values: fitting) } == nil)
            for list in [largest, try list(elements: 4_194_302)] {
                let change = [DictionaryMerge.Change(name: [97], value: 0..<list.count)]
                #expect(code { try merge(base, change, values: list) } == .tooManyObjects)
            }
        }
    #endif
}
