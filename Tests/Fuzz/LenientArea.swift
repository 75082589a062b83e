import PropertyLists
import SecureMemory

/// The reader of other programs' lists: lists as they come, and bodies that get a table and a trailer here.
enum LenientArea {
    // A list of a few bytes may stand for millions of objects; one such would cost a thousand other inputs.
    private static let longestExercised = 1 << 16

    static func run(_ input: RawSpan) {
        attempt(input)
        guard input.byteCount > 0, input[0] != UInt8(ascii: "b") else { return }
        let list = framed(input)
        attempt(list.rawSpan)
    }

    private static func attempt(_ foreign: RawSpan) {
        let list: GuardedBuffer
        do throws(PropertyListError) { list = try LenientReader.canonicalize(foreign) } catch {
            promise(error.code != .outOfMemory && error.code != .notCanonical, "refusing a list: \(error.code)")
            promise((0...foreign.byteCount).contains(error.offset), "the error's place is in the list")
            return
        }
        if let refusal = CheckedList.refusal(list.bytes) {
            promise(refusal.code == .tooDeep, "what the lenient reader gives is canonical: \(refusal)")
            promise(isDeep(list.bytes), "only a deep list is too deep")
        } else if list.count < longestExercised {
            CheckedList.exercise(list.bytes)
        }
    }

    /// Whether a list has a container below the deepest that the check allows.
    private static func isDeep(_ list: RawSpan) -> Bool {
        let reader = PropertyListReader(trusted: list)
        // What follows a container's last object is outside of it.
        var ends: [Int] = []
        for object in 0..<reader.objectCount {
            while let end = ends.last, end <= object { ends.removeLast() }
            let kind = reader.kind(of: object)
            guard kind == .array || kind == .dictionary else { continue }
            ends.append(reader.subtree(of: object).objects.upperBound)
            if ends.count > CanonicalCheck.deepest { return true }
        }
        return false
    }

    /// Puts a header before a body, and a table of any width with a trailer behind it.
    private static func framed(_ input: RawSpan) -> [UInt8] {
        var program = Program(input)
        let widths = program.byte()
        let offsetWidth = 1 + Int(widths & 7)
        let referenceWidth = 1 + Int(widths >> 3 & 7)
        let places = program.take(1 + Int(program.byte() & 0x3F))
        var list = Array("bplist00".utf8) + program.take(.max >> 1)
        let table = list.count
        for place in places { list += bigEndian(8 + UInt64(place), width: offsetWidth) }
        list += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        list += bigEndian(UInt64(places.count), width: 8)
        list += bigEndian(UInt64(widths >> 6), width: 8)
        list += bigEndian(UInt64(table), width: 8)
        return list
    }

    private static func bigEndian(_ number: UInt64, width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
