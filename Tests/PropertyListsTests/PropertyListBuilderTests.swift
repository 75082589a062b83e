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
