internal import PropertyLists
internal import SecureMemory

/// Writes one value to standard output as its plain bytes.
struct ValueOutput {
    /// What comes after a value.
    enum Terminator { case nothing, newline, zero }

    let console: Console
    let terminator: Terminator
    /// Whether bytes go to a terminal as they are.
    let isRaw: Bool

    /// Writes a value, in place where that can be.
    func write(_ object: Int, of reader: borrowing PropertyListReader) throws(Failure) {
        try withBytes(of: object, in: reader, write)
    }

    /// Refuses a value that would not be written, and writes nothing.
    func check(_ object: Int, of reader: borrowing PropertyListReader) throws(Failure) {
        try withBytes(of: object, in: reader, check)
    }

    private func withBytes(
        of object: Int, in reader: borrowing PropertyListReader,
        _ body: (_ bytes: RawSpan, _ isData: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        let kind = reader.kind(of: object)
        if kind == .data { return try body(reader.data(object), true) }
        if kind == .string, let ascii = reader.asciiBytes(of: object) { return try body(ascii, false) }
        var arena = try guarded { () throws(SecureMemoryError) in try GuardedArena() }
        do throws(SecureMemoryError) {
            try Self.append(object, of: reader, to: &arena)
        } catch {
            throw .outOfMemory
        }
        try body(arena.bytes, false)
    }

    private static func append(
        _ object: Int, of reader: borrowing PropertyListReader, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        switch reader.kind(of: object) {
        case .string: try reader.text(object).copyUTF8(into: &arena)
        case .real: try append(NumberText.text(of: reader.real(object)), to: &arena)
        case .date:
            let seconds = reader.date(object)
            try append(DateText.text(of: seconds) ?? seconds.description, to: &arena)
        default: try JSONWriter.append(object, of: reader, indent: 0, to: &arena)
        }
    }

    private static func append(_ text: String, to arena: inout GuardedArena) throws(SecureMemoryError) {
        for byte in text.utf8 { try arena.append(byte) }
    }

    private func check(_ bytes: RawSpan, isData: Bool) throws(Failure) {
        if terminator == .zero, (0..<bytes.byteCount).contains(where: { bytes[$0] == 0 }) {
            throw Failure(.refused, "a value has a zero byte in it, which -0 takes for its end", hint: "use --json")
        }
        guard console.outputIsTerminal && !isRaw else { return }
        switch Escaping.display(of: bytes) {
        case .plain: break
        case .needsEscapes where !isData: break
        case .binary, .needsEscapes:
            throw Failure(
                .refused, "the value is binary, and standard output is a terminal",
                hint: "redirect it to a file, or use --json; --raw writes it as it is")
        }
    }

    private func write(_ bytes: RawSpan, isData: Bool) throws(Failure) {
        try check(bytes, isData: isData)
        if console.outputIsTerminal && !isRaw && Escaping.display(of: bytes) != .plain {
            var arena = try guarded { () throws(SecureMemoryError) in try GuardedArena() }
            do throws(SecureMemoryError) { try Escaping.append(bytes, to: &arena) } catch { throw .outOfMemory }
            try console.write(arena.bytes)
            console.note(
                "the value has characters that steer a terminal; they are shown, not sent (--raw sends them)")
        } else {
            try console.write(bytes)
        }
        switch terminator {
        case .nothing: break
        case .newline: try console.write("\n")
        case .zero: try console.write("\0")
        }
    }
}
