import CofferCommands
import PropertyLists
import SecureMemory

/// JSON to a list, to JSON, and to the same list again; also for lists that were never JSON.
enum JSONArea {
    private static let maximumDepth = 31

    static func run(_ input: RawSpan) {
        // No JSON begins with this byte.
        if input.byteCount > 0, input[0] == 1 {
            var program = Program(input.extracting(1..<input.byteCount))
            program.composesKeys = true
            guard let list = program.list(maximumDepth: maximumDepth) else { return }
            roundTrip(list.bytes)
            return
        }
        let list: GuardedBuffer
        do throws(JSONError) { list = try JSONReader.propertyList(of: input, maximumDepth: maximumDepth) } catch {
            promise(error.code != .outOfMemory, "JSON needs little memory")
            promise((0...input.byteCount).contains(error.offset), "the error's place is in the text")
            return
        }
        promise(CheckedList.isAccepted(list.bytes, maximumDepth: maximumDepth), "JSON gives a canonical list")
        roundTrip(list.bytes)
    }

    private static func roundTrip(_ list: RawSpan) {
        do {
            var text = try GuardedArena()
            try JSONWriter.append(0, of: PropertyListReader(trusted: list), indent: 0, to: &text)
            promise(UTF8Text.isValid(text.bytes), "JSON is UTF-8")
            promise(Escaping.display(of: text.bytes) == .plain, "JSON steers no terminal")
            let again = try JSONReader.propertyList(of: text.bytes, maximumDepth: maximumDepth)
            promise(again.bytes.equals(list), "JSON gives back the list that it was written from")
        } catch {
            promise(false, "JSON of ours is read again: \(error)")
        }
    }
}
