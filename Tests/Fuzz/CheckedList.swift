import PropertyLists
import SecureMemory

/// What has to hold for every list that the canonical check accepts.
enum CheckedList {
    /// Says whether the check accepts a list.
    static func isAccepted(
        _ list: RawSpan, maximumDepth: Int = CanonicalCheck.deepest, requireDictionary: Bool = false,
        names: NameRule = .any
    ) -> Bool {
        refusal(list, maximumDepth: maximumDepth, requireDictionary: requireDictionary, names: names) == nil
    }

    /// Why the check refuses a list, or nil.
    static func refusal(
        _ list: RawSpan, maximumDepth: Int = CanonicalCheck.deepest, requireDictionary: Bool = false,
        names: NameRule = .any
    ) -> PropertyListError? {
        do throws(PropertyListError) {
            try CanonicalCheck.check(
                list, maximumDepth: maximumDepth, requireDictionary: requireDictionary, names: names)
            return nil
        } catch {
            promise(error.code != .outOfMemory, "the check allocates nothing")
            promise((0...list.byteCount).contains(error.offset), "the error's place is in the list")
            return error
        }
    }

    /// Reads all of an accepted list and encodes it anew.
    static func exercise(_ list: RawSpan) {
        do {
            try readAll(PropertyListReader(trusted: list))
            let again = try reencoded(PropertyListReader(trusted: list))
            promise(again.bytes.equals(list), "an accepted list encodes to itself")
            let lenient = try LenientReader.canonicalize(list)
            promise(lenient.bytes.equals(list), "the lenient reader leaves a canonical list as it is")
        } catch {
            promise(false, "an accepted list is readable: \(error)")
        }
    }

    private static func reencoded(_ reader: PropertyListReader) throws(PropertyListError) -> GuardedBuffer {
        var builder = try PropertyListBuilder()
        try builder.copy(0, of: reader)
        return try builder.finish(maximumDepth: CanonicalCheck.deepest)
    }

    private static func readAll(_ reader: PropertyListReader) throws(SecureMemoryError) {
        var name = try GuardedArena()
        for object in 0..<reader.objectCount {
            switch reader.kind(of: object) {
            case .boolean: _ = reader.boolean(object)
            case .integer: _ = reader.integer(object)
            case .real: _ = reader.real(object)
            case .date: promise(reader.date(object).isFinite, "a date is finite")
            // Reads every byte.
            case .data: promise(reader.data(object).equals(reader.data(object)), "data stay the same")
            case .string:
                let text = reader.text(object)
                name.truncate(to: 0)
                try text.copyUTF8(into: &name)
                promise(name.count == text.utf8Count, "a text is as long as it says")
                let isASCII = reader.asciiBytes(of: object) != nil
                promise(isASCII == (text.encoding == .ascii), "ASCII stands in place")
            case .array:
                for index in 0..<reader.count(of: object) {
                    promise(reader.element(index, of: object) > object, "an element follows its array")
                }
            case .dictionary:
                for index in 0..<reader.count(of: object) {
                    name.truncate(to: 0)
                    try reader.text(reader.key(index, of: object)).copyUTF8(into: &name)
                    let found = reader.find(name.bytes, in: object)
                    promise(found?.index == index, "a key is found where it stands")
                    promise(found?.value == reader.value(index, of: object), "a key is found with its value")
                }
            }
            let subtree = reader.subtree(of: object).objects
            promise(subtree.lowerBound == object && subtree.upperBound <= reader.objectCount, "a value is in the list")
        }
    }
}
