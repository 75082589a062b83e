import PropertyLists
import SecureMemory

/// The merge, against a builder that is given the same entries one by one.
enum MergeArea {
    private typealias Change = DictionaryMerge.Change

    static func run(_ input: RawSpan) {
        var program = Program(input)
        guard let base = program.list(isDictionary: true) else { return }
        do {
            var values = try GuardedArena()
            let changes = try changes(to: PropertyListReader(trusted: base.bytes), by: &program, values: &values)
            try compare(base.bytes, changes, values.bytes)
        } catch {
            promise(false, "memory for a merge: \(error)")
        }
    }

    /// Replaces, removes or adds up to six entries.
    private static func changes(
        to base: PropertyListReader, by program: inout Program, values: inout GuardedArena
    ) throws(SecureMemoryError) -> [Change] {
        var changes: [Change] = []
        for _ in 0..<6 where !program.isAtEnd {
            let choice = program.byte()
            var name: [UInt8]
            if choice & 1 == 0, base.count(of: 0) > 0 {
                var text = try GuardedArena(capacity: 64)
                try base.text(base.key(Int(choice >> 3) % base.count(of: 0))).copyUTF8(into: &text)
                name = text.bytes.array
            } else {
                name = program.text()
            }
            guard !changes.contains(where: { $0.name == name }) else { continue }
            var range: Range<Int>?
            switch choice >> 1 & 3 {
            case 0: break
            case 1: range = try LeafList.append(integer: Int64(truncatingIfNeeded: program.number(8)), to: &values)
            case 2: range = try LeafList.append(string: program.text().rawSpan, to: &values)
            default:
                guard let list = program.list() else { continue }
                range = try values.append(list.bytes)
            }
            changes.append(Change(name: name, value: range))
        }
        return changes.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    private static func compare(_ base: RawSpan, _ changes: [Change], _ values: RawSpan) throws(SecureMemoryError) {
        let expected: GuardedBuffer
        do throws(PropertyListError) {
            expected = try built(PropertyListReader(trusted: base), changes, values)
        } catch {
            promise(error.code == .tooDeep, "building the result: \(error.code)")
            let refusal = self.refusal(base, changes, values, names: .any)
            promise(refusal == .tooDeep, "the merge refuses what is too deep, not \(String(describing: refusal))")
            return
        }
        do throws(PropertyListError) {
            let merge = try DictionaryMerge(
                base: base, changes: changes, values: values, maximumDepth: CanonicalCheck.deepest, names: .any)
            // Not at the start, and without a byte of room behind it.
            let offset = 3
            do throws(SecureMemoryError) {
                var result = try GuardedBuffer(count: offset + merge.byteCount)
                merge.write(into: &result, at: offset)
                let list = result.bytes.extracting(offset..<result.count)
                promise(CheckedList.isAccepted(list, requireDictionary: true), "a merge gives a canonical list")
                promise(list.equals(expected.bytes), "a merge gives what the builder does")
            } catch { throw PropertyListError(.outOfMemory) }
        } catch {
            promise(false, "the merge refuses what the builder takes: \(error.code)")
        }
        let refusal = refusal(base, changes, values, names: .settings)
        promise(refusal == nil || refusal == .malformed, "a rule for names refuses names")
    }

    private static func refusal(
        _ base: RawSpan, _ changes: [Change], _ values: RawSpan, names: NameRule
    ) -> PropertyListError.Code? {
        do throws(PropertyListError) {
            _ = try DictionaryMerge(
                base: base, changes: changes, values: values, maximumDepth: CanonicalCheck.deepest, names: names)
            return nil
        } catch {
            return error.code
        }
    }

    private static func built(
        _ base: PropertyListReader, _ changes: [Change], _ values: RawSpan
    ) throws(PropertyListError) -> GuardedBuffer {
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        for index in 0..<base.count(of: 0) {
            let key = base.text(base.key(index)).utf8
            guard !changes.contains(where: { $0.name == key }) else { continue }
            try builder.key(utf8: key.rawSpan)
            try builder.copy(base.value(index), of: base)
        }
        for change in changes {
            guard case .list(let range) = change.value else { continue }
            try builder.key(utf8: change.name.rawSpan)
            try builder.copy(0, of: PropertyListReader(trusted: values.extracting(range)))
        }
        try builder.endDictionary()
        return try builder.finish(maximumDepth: CanonicalCheck.deepest)
    }
}

extension PropertyListText {
    /// The text in UTF-8, by the standard library and not by the code under test.
    fileprivate var utf8: [UInt8] {
        guard encoding == .utf16 else { return bytes.array }
        let units = (0..<bytes.byteCount / 2).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
