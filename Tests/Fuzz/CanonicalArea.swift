import PropertyLists
import SecureMemory

/// The canonical check and the reader that trusts it: lists as they come, and built ones with a few bytes changed.
enum CanonicalArea {
    static func run(_ input: RawSpan) {
        attempt(input)
        // What does not begin as a list is a program that builds one.
        guard input.byteCount > 0, input[0] != UInt8(ascii: "b") else { return }
        var program = Program(input)
        guard var list = program.list() else { return }
        promise(CheckedList.isAccepted(list.bytes), "the check accepts what the builder writes")
        CheckedList.exercise(list.bytes)
        if program.edit(&list) { attempt(list.bytes) }
    }

    private static func attempt(_ list: RawSpan) {
        guard CheckedList.isAccepted(list) else { return }
        // Rules can only narrow what is accepted.
        _ = CheckedList.isAccepted(list, maximumDepth: 32, requireDictionary: true, names: .settings)
        CheckedList.exercise(list)
    }
}
