import Foundation
import PropertyLists
import SecureMemory
import Testing

@Suite struct PropertyListBuilderTests {
    @Test("random values come back from builder, check and reader", arguments: 0..<40)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<5 {
            let value = Value.random(depth: 4, using: &generator)
            let list = try value.list()
            #expect(list.refusal() == nil)
            #expect(Value(list: list) == value)
            #expect(try list.reencoded() == list)
        }
    }

    @Test("Foundation reads what the builder writes", arguments: 0..<20)
    func foundation(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(1_000 + seed))
        let value = Value.randomDictionary(depth: 3, using: &generator)
        let object = try unsafe PropertyListSerialization.propertyList(from: Data(value.list()), format: nil)
        #expect(value.matches(object))
    }

    /// One call to a builder.
    enum Event: Sendable {
        case boolean, beginArray, endArray, beginDictionary, endDictionary
        case key([UInt8])
        case string([UInt8])
        case utf16([UInt8])
        case date(Double)

        func add(to builder: inout PropertyListBuilder) throws(PropertyListError) {
            switch self {
            case .boolean: try builder.boolean(true)
            case .beginArray: try builder.beginArray()
            case .endArray: try builder.endArray()
            case .beginDictionary: try builder.beginDictionary()
            case .endDictionary: try builder.endDictionary()
            case .key(let utf8): try unsafe builder.key(utf8: utf8.span.bytes)
            case .string(let utf8): try unsafe builder.string(utf8: utf8.span.bytes)
            case .utf16(let units): try unsafe builder.string(utf16BigEndian: units.span.bytes)
            case .date(let seconds): try builder.date(seconds)
            }
        }
    }

    /// Builds a list of events; nil when it is accepted.
    private func refusal(_ events: [Event], maximumDepth: Int = 32) -> PropertyListError.Code? {
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            for event in events { try event.add(to: &builder) }
            _ = try builder.finish(maximumDepth: maximumDepth)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "events that make no list are refused",
        arguments: [
            [], [.beginArray], [.endArray], [.endDictionary], [.boolean, .boolean], [.beginArray, .endDictionary],
            [.beginDictionary, .endArray], [.beginArray, .endArray, .endArray], [.beginDictionary, .boolean],
            [.beginDictionary, .beginArray], [.beginArray, .key([0x61])], [.key([0x61])],
            [.beginDictionary, .key([0x61]), .key([0x62])], [.beginDictionary, .key([0x61]), .endDictionary],
            [.date(.infinity)], [.date(.nan)], [.utf16([0x61])], [.utf16([0xD8, 0])], [.utf16([0xDC, 0])],
            [.utf16([0xD8, 0, 0, 0x61])], [.utf16([0xDC, 0, 0xD8, 0])], [.utf16([0xDC, 0, 0xDC, 0])],
        ] as [[Event]])
    func misuse(events: [Event]) {
        #expect(refusal(events) == .malformed)
    }

    @Test(
        "text that is not UTF-8 is refused",
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x61, 0xFF],
            [0xC3, 0x28], [0xF0, 0x9F, 0x94],
        ] as [[UInt8]])
    func badUTF8(bytes: [UInt8]) {
        #expect(refusal([.string(bytes)]) == .malformed)
        #expect(refusal([.beginDictionary, .key(bytes), .boolean, .endDictionary]) == .malformed)
    }

    /// What each event is answered with when all are tried, and last what the end of the list is.
    private func answers(_ events: [Event]) throws -> [PropertyListError.Code?] {
        var builder = try PropertyListBuilder()
        var answers: [PropertyListError.Code?] = []
        for event in events {
            do throws(PropertyListError) {
                try event.add(to: &builder)
                answers.append(nil)
            } catch {
                answers.append(error.code)
            }
        }
        do throws(PropertyListError) {
            _ = try builder.finish()
            answers.append(nil)
        } catch {
            answers.append(error.code)
        }
        return answers
    }

    @Test("a call that throws spoils the list, but a refused text or date does not")
    func afterThrow() throws {
        let refused: [Event] = [.beginArray, .string([0xFF]), .date(.nan), .utf16([0xD8, 0]), .boolean, .endArray]
        #expect(try answers(refused) == [nil, .malformed, .malformed, .malformed, nil, nil, nil])
        let spoiled: [Event] = [
            .beginDictionary, .key([0x61]), .boolean, .key([0x61]), .boolean, .endDictionary, .endDictionary, .boolean,
        ]
        #expect(
            try answers(spoiled) == [nil, nil, nil, nil, nil, .duplicateKey, .malformed, .malformed, .malformed])
        let unnamed: [Event] = [.beginDictionary, .boolean, .key([0x61]), .boolean, .endDictionary]
        #expect(try answers(unnamed) == [nil, .malformed, .malformed, .malformed, .malformed, .malformed])
        #expect(try answers([.beginArray, .endDictionary, .endArray]) == [nil, .malformed, .malformed, .malformed])
    }

    @Test("both encodings of a text give the same list")
    func encodings() throws {
        for text in ["", "a", "plain text of many letters", "é", "aé", "🔑", "\u{10FFFF}\u{FFFF}\0"] {
            let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            var builder = try PropertyListBuilder()
            try unsafe builder.string(utf16BigEndian: units.span.bytes)
            let buffer = try builder.finish()
            #expect(try Array(copying: buffer.bytes) == Value.string(text).list())
        }
    }

    @Test("equal keys are refused wherever they stand, and nested ones do not count")
    func duplicates() {
        func dictionary(_ keys: [String]) -> PropertyListError.Code? {
            let entries = keys.map { key in
                let utf8 = Array(key.utf8)
                return [.key(utf8), .beginDictionary, .key(utf8), .boolean, .endDictionary] as [Event]
            }
            return refusal([.beginDictionary] + entries.flatMap { $0 } + [.endDictionary])
        }
        #expect(dictionary(["a", "b", "c"]) == nil)
        #expect(dictionary(["c", "b", "a"]) == nil)
        #expect(dictionary(["a", "b", "a"]) == .duplicateKey)
        #expect(dictionary(["a", "a"]) == .duplicateKey)
        #expect(dictionary(["é", "z", "é"]) == .duplicateKey)
        #expect(dictionary(["é", "e\u{301}"]) == nil)
        #expect(dictionary(["", ""]) == .duplicateKey)
    }

    @Test("five thousand levels cost no stack, and are too deep")
    func depth() {
        func nested(_ levels: Int, maximumDepth: Int) -> PropertyListError.Code? {
            var events: [Event] = []
            for level in 0..<levels { events += level % 2 == 0 ? [.beginArray] : [.beginDictionary, .key([0x61])] }
            events.append(.boolean)
            for level in (0..<levels).reversed() { events.append(level % 2 == 0 ? .endArray : .endDictionary) }
            return refusal(events, maximumDepth: maximumDepth)
        }
        #expect(nested(32, maximumDepth: 32) == nil)
        #expect(nested(33, maximumDepth: 32) == .tooDeep)
        #expect(nested(5_000, maximumDepth: 32) == .tooDeep)
        #expect(nested(5_000, maximumDepth: 5_000) == nil)
    }

    @Test("more bytes than a list may have are refused before they are copied")
    func size() throws {
        let block = Array(repeating: UInt8(0), count: 1 << 24)
        var builder = try PropertyListBuilder()
        try builder.beginArray()
        for _ in 0..<3 { try unsafe builder.data(block.span.bytes) }
        let code: PropertyListError.Code?
        do throws(PropertyListError) {
            try unsafe builder.data(block.span.bytes)
            code = nil
        } catch {
            code = error.code
        }
        #expect(code == .tooLarge)
    }

    @Test("a value is copied out of another list as it is")
    func copy() throws {
        let inner = Value.dictionary(["k": .array([.string("é"), .dictionary([:])]), "a": .integer(300)])
        let list = try Value.dictionary(["x": .boolean(true), "y": inner]).list()
        var builder = try PropertyListBuilder()
        try builder.beginArray()
        let reader = unsafe PropertyListReader(trusted: list.span.bytes)
        try builder.copy(reader.value(1), of: reader)
        try builder.copy(reader.value(0), of: reader)
        try builder.endArray()
        let buffer = try builder.finish()
        #expect(try Array(copying: buffer.bytes) == Value.array([inner, .boolean(true)]).list())
    }
}

extension Value {
    /// Compares with what Foundation has read.
    func matches(_ object: Any) -> Bool {
        switch self {
        case .boolean(let value): return (object as? NSNumber)?.boolValue == value
        case .integer(let value): return (object as? NSNumber)?.int64Value == value
        case .real(let bits): return (object as? NSNumber)?.doubleValue.bitPattern == bits
        case .date(let value): return (object as? Date)?.timeIntervalSinceReferenceDate == value
        case .data(let bytes): return (object as? Data).map { Array($0) == bytes } ?? false
        case .string(let text): return (object as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
        case .array(let elements):
            guard let array = object as? [Any], array.count == elements.count else { return false }
            return zip(elements, array).allSatisfy { $0.matches($1) }
        case .dictionary(let entries):
            guard let dictionary = object as? [String: Any] else { return false }
            // A Swift dictionary drops a key that is canonically equal to another.
            guard dictionary.count == Set(entries.keys.map(\.text)).count else { return false }
            return dictionary.allSatisfy { key, value in
                entries.contains { $0.key.text == key && $0.value.matches(value) }
            }
        }
    }
}
