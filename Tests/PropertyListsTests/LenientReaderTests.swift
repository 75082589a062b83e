import Foundation
import PropertyLists
import SecureMemory
import Testing

@Suite struct LenientReaderTests {
    /// Reads any list: the canonical one, or why not.
    private func canonicalize(_ bytes: [UInt8]) -> Result<[UInt8], PropertyListError> {
        do throws(PropertyListError) {
            let buffer = try unsafe LenientReader.canonicalize(bytes.span.bytes)
            return .success(Array(copying: buffer.bytes))
        } catch {
            return .failure(error)
        }
    }

    private static var secondsOfThread: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func code(_ bytes: [UInt8]) -> PropertyListError.Code? {
        if case .failure(let error) = canonicalize(bytes) { error.code } else { nil }
    }

    @Test("every file of the corpus is read, or refused for the right reason", arguments: Corpus.names)
    func corpus(name: String) throws {
        let file = try #require(try Corpus.load().files[name])
        let bytes = try Corpus.bytes(name)
        try #require(bytes.count == file.bytes)
        // Of this thread's own work: a busy machine is no fault of the reader's.
        let start = Self.secondsOfThread
        let result = canonicalize(bytes)
        #expect(Self.secondsOfThread - start < file.maxSeconds ?? 1)
        switch result {
        case .failure(let error):
            #expect(file.outcomes.contains { $0.error == error.code.corpusClass })
        case .success(let list):
            #expect(list.refusal() == nil)
            let value = Value(list: list)
            #expect(file.outcomes.contains { $0.ok?.value == value || $0.isUnchecked == true })
        }
    }

    @Test("the corpus has an expectation for each file and a file for each expectation")
    func corpusIsComplete() throws {
        let corpus = try Corpus.load()
        #expect(corpus.schema == "bplist-expect/1")
        #expect(corpus.files.keys.sorted() == Corpus.names)
        #expect(Corpus.names.count > 20)
    }

    @Test("a list that would grow to billions of objects is refused in little memory")
    func bomb() async {
        await #expect(processExitsWith: .success) {
            let bytes = try Corpus.bytes("s21-dag-bomb.bplist")
            let before = try peakMemory()
            try #require(throws: PropertyListError(.tooManyObjects)) {
                _ = try unsafe LenientReader.canonicalize(bytes.span.bytes)
            }
            #expect(try peakMemory() - before < 64 << 10)
        }
    }

    @Test("Foundation's lists give the canonical list of their value", arguments: 0..<20)
    func foundation(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(2_000 + seed))
        for _ in 0..<5 {
            let value = Value.randomDictionary(depth: 3, using: &generator).withoutEqualLookingKeys
            let data = try PropertyListSerialization.data(fromPropertyList: value.object, format: .binary, options: 0)
            #expect(try canonicalize(Array(data)).get() == value.list())
        }
    }

    @Test("a canonical list comes back as it is", arguments: 0..<20)
    func canonical(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(3_000 + seed))
        let list = try Value.random(depth: 4, using: &generator).list()
        #expect(try canonicalize(list).get() == list)
    }

    @Test("keys are equal by code point, whatever their spelling")
    func equalKeys() throws {
        let ascii: [UInt8] = [0x51, 0x61]
        let utf16: [UInt8] = [0x61, 0x00, 0x61]
        let accent: [UInt8] = [0x61, 0x00, 0xE9]
        let combining: [UInt8] = [0x62, 0x00, 0x65, 0x03, 0x01]
        #expect(code(foreign([[0xD2, 1, 2, 3, 3], ascii, utf16, [8]])) == .duplicateKey)
        #expect(code(foreign([[0xD2, 1, 2, 3, 3], ascii, accent, [8]])) == nil)
        #expect(code(foreign([[0xD2, 1, 2, 3, 3], accent, combining, [8]])) == nil)
    }

    @Test("order, gaps, wide numbers and the place of the root do not matter")
    func oddButReadable() throws {
        let expected = try Value.array([.integer(7), .real(0.5), .string("a"), .integer(-1)]).list()
        let long: [[UInt8]] = [
            [0x10, 0x07], [0x22, 0x3F, 0, 0, 0], [0x61, 0, 0x61],
            [0x14] + Array(repeating: 0xFF, count: 16), [0xAF, 0x13, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3],
        ]
        for width in 1...8 {
            #expect(try canonicalize(foreign(long, root: 4, offsetWidth: width)).get() == expected)
        }
        #expect(try canonicalize(foreign(long, root: 4, gap: [1, 2, 3])).get() == expected)
        let wide: [[UInt8]] = [[0xA1, 0, 0, 0, 0, 1], [9]]
        #expect(try canonicalize(foreign(wide, referenceWidth: 5)).get() == Value.array([.boolean(true)]).list())
        let nan: [[UInt8]] = [[0x23, 0xFF, 0xF8, 0, 0, 0, 0, 0, 1]]
        #expect(try canonicalize(foreign(nan)).get() == Value.real(.nan).list())
    }

    @Test(
        "objects that a settings dictionary cannot have are refused",
        arguments: [
            ([0x00], .unsupportedType), ([0x0C, 0x51, 0x61], .unsupportedType), ([0x0D], .unsupportedType),
            ([0x0E], .unsupportedType), ([0x80, 0x01], .unsupportedType), ([0xB0], .unsupportedType),
            ([0xC0], .unsupportedType), ([0x01], .malformed), ([0x0A], .malformed), ([0x70], .malformed),
            ([0x90], .malformed), ([0xE0], .malformed), ([0xF0], .malformed), ([0x21, 0, 0], .malformed),
            ([0x15] + [UInt8](repeating: 0, count: 32), .malformed), ([0x11, 0], .malformed),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [0x80] + [UInt8](repeating: 0, count: 7), .unsupportedType),
            ([0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], .malformed), ([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], .malformed),
            ([0x23, 0, 0], .malformed), ([0x51, 0x80], .malformed), ([0x52, 0xC3, 0xA9], .malformed),
            ([0x61, 0xD8, 0x00], .malformed), ([0x62, 0xDC, 0x00, 0xD8, 0x00], .malformed), ([0x61, 0x00], .malformed),
            ([0x4F, 0x20, 0], .malformed), ([0x4F], .malformed), ([0x4F, 0x13, 0xFF, 0, 0, 0, 0, 0, 0, 0], .malformed),
            ([0x6F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255], .malformed), ([0x4F, 0x14], .malformed),
            ([0xA1, 0x00], .malformed), ([0xD1, 0x00, 0x00], .malformed),
        ] as [([UInt8], PropertyListError.Code)])
    func badObjects(object: [UInt8], expected: PropertyListError.Code) {
        #expect(code(foreign([object])) == expected)
    }

    @Test("a cycle is found, however long")
    func cycles() {
        #expect(code(foreign([[0xA1, 1], [0xA1, 2], [0xA1, 0]])) == .malformed)
        #expect(code(foreign([[0xD1, 1, 0], [0x51, 0x61]])) == .malformed)
        #expect(code(foreign([[0xD1, 0, 1], [0x51, 0x61]])) == .malformed)
    }

    @Test("depth counts along the longest way, shared or not")
    func depth() {
        func nested(_ levels: Int) -> [[UInt8]] {
            (1...levels).map { [0xA1, UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [[9]]
        }
        #expect(code(foreign(nested(512), offsetWidth: 2, referenceWidth: 2)) == nil)
        #expect(code(foreign(nested(513), offsetWidth: 2, referenceWidth: 2)) == .tooDeep)
        // The first element is a chain of 256; the second reaches the same chain 257 levels further down.
        var shared = nested(256)
        let root = shared.count
        for level in 1...257 {
            let next = level == 257 ? 0 : root + level
            shared.append([0xA1, UInt8(next >> 8), UInt8(next & 0xFF)])
        }
        #expect(code(foreign(shared, root: root, offsetWidth: 2, referenceWidth: 2)) == .tooDeep)
        shared.append([0xA2, 0, 0, UInt8((root + 1) >> 8), UInt8((root + 1) & 0xFF)])
        #expect(code(foreign(shared, root: shared.count - 1, offsetWidth: 2, referenceWidth: 2)) == .tooDeep)
        shared[shared.count - 1][4] += 1
        #expect(code(foreign(shared, root: shared.count - 1, offsetWidth: 2, referenceWidth: 2)) == nil)
    }

    @Test("many containers over the same bytes do not multiply the work")
    func overlaps() {
        // 20,000 objects, all of them one array of 1,000 references.
        let count = 20_000
        var list = Array("bplist00".utf8) + [0xAF, 0x11, 0x03, 0xE8]
        for index in 0..<1_000 { list += [UInt8((index + 1) >> 8), UInt8((index + 1) & 0xFF)] }
        let table = list.count
        for _ in 0..<count { list += [8] }
        list += trailer(offsetWidth: 1, referenceWidth: 2, count: count, root: 0, table: table)
        #expect(code(list) == .malformed)
        // The same without the cycle: the arrays refer to each other only downwards, as long as they can.
        let wide = foreign(
            [
                [0xAF, 0x10, 200] + Array(repeating: 1, count: 200),
                [0xAF, 0x10, 200] + Array(repeating: 2, count: 200),
                [0xAF, 0x10, 200] + Array(repeating: 3, count: 200),
                [0x4F, 0x10, 200] + Array(repeating: 0, count: 200),
            ], offsetWidth: 2)
        #expect(code(wide) == .tooLarge)
    }

    @Test("a trailer with impossible numbers is refused")
    func trailers() {
        let good = foreign([[0xA1, 1], [9]])
        let trailer = good.count - 32
        #expect(code(good) == nil)
        for (offset, bytes) in [
            (6, [0]), (6, [9]), (7, [0]), (7, [9]), (7, [255]), (8, [0x80]),
            (8, [255, 255, 255, 255, 255, 255, 255, 255]),
            (15, [0]), (15, [3]), (16, [1]), (23, [2]), (24, [255, 255, 255, 255, 255, 255, 255, 255]), (31, [8]),
            (31, [UInt8(trailer)]), (24, [0x80]), (28, [1]),
        ] as [(Int, [UInt8])] {
            var bad = good
            bad.replaceSubrange(trailer + offset..<trailer + offset + bytes.count, with: bytes)
            #expect(code(bad) != nil, "\(offset)")
        }
    }

    @Test("an object has to stand between the header and the table", arguments: [0, 7, 9, 10, 41, 255] as [UInt8])
    func places(place: UInt8) {
        // "bpl" of the header would be read as a string.
        var list = foreign([[9]])
        #expect(code(list) == nil)
        list[9] = place
        #expect(code(list) == .malformed)
    }

    @Test("20,000 random mutations are read or refused, and what is read is canonical")
    func mutations() throws {
        var generator = SeededGenerator(seed: 99)
        let seeds = try Corpus.names.map(Corpus.bytes).filter { (42..<2_000).contains($0.count) }
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = seeds.randomElement(using: &generator) ?? []
            bytes.mutate(using: &generator)
            if case .success(let list) = canonicalize(bytes) {
                accepted += 1
                if list.refusal(maximumDepth: 64) != nil { Issue.record("not canonical") }
            }
        }
        #expect(accepted > 100)
    }

    // MARK: Writing odd lists

    private func foreign(
        _ objects: [[UInt8]], root: Int = 0, offsetWidth: Int = 1, referenceWidth: Int = 1, gap: [UInt8] = []
    ) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            list += gap
            for index in (0..<offsetWidth).reversed() {
                table.append(index < 4 ? UInt8(truncatingIfNeeded: list.count >> (8 * index)) : 0)
            }
            list += object
        }
        let place = list.count
        return list + table + gap
            + trailer(
                offsetWidth: offsetWidth, referenceWidth: referenceWidth, count: objects.count, root: root, table: place
            )
    }

    private func trailer(offsetWidth: Int, referenceWidth: Int, count: Int, root: Int, table: Int) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
            + [count, root, table].flatMap { number in
                (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
    }
}

/// The most memory that this process has had, in KiB.
private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber)))
}
