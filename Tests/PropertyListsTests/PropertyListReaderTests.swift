import PropertyLists
import SecureMemory
import Testing

@Suite struct PropertyListReaderTests {
    private let names: [Value.Key] = [
        "", "a", "a/b", "aa", "ab", "aé", "b", "zzzzzzzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzzzzzzzz", "\u{7F}", "é",
        "e\u{301}",
        "漢字", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "🔑", "🔑🔒", "\u{10FFFF}",
    ]

    private func list(of names: [Value.Key]) throws -> [UInt8] {
        try Value.dictionary(Dictionary(uniqueKeysWithValues: names.map { ($0, .string($0.text)) })).list()
    }

    @Test("every name is found in its place, and only what is there is found")
    func find() throws {
        for kept in [names, Array(names.dropFirst(3)), names.filter { $0.utf8.count % 2 == 0 }, [], ["é"]] {
            let list = try list(of: kept)
            let reader = unsafe PropertyListReader(trusted: list.span.bytes)
            let sorted = kept.sorted()
            for name in names {
                let utf8 = name.utf8
                let found = unsafe reader.find(utf8.span.bytes)
                #expect(found?.index == sorted.firstIndex(of: name))
                if let found { #expect(Value(found.value, of: reader) == .string(name.text)) }
            }
        }
    }

    @Test(
        "bytes that are no UTF-8 are never found",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80]]
            as [[UInt8]])
    func findMalformed(name: [UInt8]) throws {
        let list = try list(of: names)
        let reader = unsafe PropertyListReader(trusted: list.span.bytes)
        #expect(unsafe reader.find(name.span.bytes) == nil)
        #expect(unsafe !NameRule.isSettingName(utf8: name.span.bytes))
    }

    @Test("nested dictionaries are searched too")
    func findNested() throws {
        let list = try Value.dictionary(["a": .integer(1), "b": .dictionary(["a": .integer(2), "é": .integer(3)])])
            .list()
        let reader = unsafe PropertyListReader(trusted: list.span.bytes)
        let inner = reader.value(1)
        let (a, accent, none): ([UInt8], [UInt8], [UInt8]) = (Array("a".utf8), Array("é".utf8), Array("b".utf8))
        #expect(unsafe reader.find(a.span.bytes, in: inner).map { reader.integer($0.value) } == 2)
        #expect(unsafe reader.find(accent.span.bytes, in: inner).map { reader.integer($0.value) } == 3)
        #expect(unsafe reader.find(none.span.bytes, in: inner) == nil)
    }

    @Test("text becomes UTF-8 of the announced length")
    func text() throws {
        for name in names {
            let list = try Value.string(name.text).list()
            let reader = unsafe PropertyListReader(trusted: list.span.bytes)
            var arena = try GuardedArena()
            try arena.append(0x2A)
            let text = reader.text(0)
            let range = try text.copyUTF8(into: &arena)
            let bytes = Array(copying: arena.bytes.extracting(range))
            #expect(bytes == name.utf8)
            #expect(text.utf8Count == name.utf8.count)
            #expect(range.lowerBound == 1)
            var ascii: [UInt8]?
            if let bytes = reader.asciiBytes(of: 0) { ascii = Array(copying: bytes) }
            #expect(ascii == (name.utf8.allSatisfy { $0 < 0x80 } ? name.utf8 : nil))
        }
    }

    @Test("a subtree holds what a value holds, and no more")
    func subtree() throws {
        let value = Value.array([
            .dictionary(["a": .array([.integer(1), .array([])]), "b": .string("long enough")]), .boolean(true),
            .array([]),
            .array([.dictionary([:])]),
        ])
        let list = try value.list()
        let reader = unsafe PropertyListReader(trusted: list.span.bytes)
        let extents = (0..<4).map { reader.subtree(of: reader.element($0, of: 0)) }
        #expect(extents.map(\.objects) == [1..<8, 8..<9, 9..<10, 10..<12])
        #expect(zip(extents, extents.dropFirst()).allSatisfy { $0.bytes.upperBound == $1.bytes.lowerBound })
        let root = reader.subtree(of: 0)
        #expect(root.objects == 0..<reader.objectCount)
        #expect(root.bytes == 8..<extents[3].bytes.upperBound)
    }

    @Test("a value is not taken for one of another kind")
    func kinds() async throws {
        let all: [Value] = [
            .boolean(true), .integer(1), .real(1.5), .date(0), .data([]), .string(""), .array([]), .dictionary([:]),
        ]
        for (value, kind) in zip(all, PropertyListKind.allCases) {
            let list = try value.list()
            let found = unsafe PropertyListReader(trusted: list.span.bytes).kind(of: 0)
            #expect(found == kind)
        }
        await #expect(processExitsWith: .failure) {
            let list = try Value.integer(1).list()
            _ = unsafe PropertyListReader(trusted: list.span.bytes).real(0)
        }
        await #expect(processExitsWith: .failure) {
            let list = try Value.array([.integer(1)]).list()
            _ = unsafe PropertyListReader(trusted: list.span.bytes).element(1, of: 0)
        }
        await #expect(processExitsWith: .failure) {
            let list = try Value.boolean(true).list()
            _ = unsafe PropertyListReader(trusted: list.span.bytes).kind(of: 1 << 40)
        }
    }
}
