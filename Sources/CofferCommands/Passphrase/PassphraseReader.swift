internal import Glibc
internal import SecureMemory

/// Reads the raw bytes of a passphrase from where they come, straight into guarded memory.
enum PassphraseReader {
    // More than any passphrase of the format takes before it is brought to NFC.
    static let longestInput = 16384

    /// Reads one line of a descriptor, byte by byte: what follows it belongs to someone else.
    ///
    /// - Returns: the line without its newline, or nothing when the input had ended before.
    static func line(of descriptor: Int32) throws(Failure) -> GuardedBuffer? {
        if Descriptors.isTerminal(descriptor) {
            throw .usage(
                "descriptor \(descriptor) is a terminal, which would show the passphrase",
                hint: "leave the option out to be asked for it")
        }
        var buffer = try buffer(longestInput + 2)
        var count = 0
        while true {
            let got: Int
            do throws(SystemError) {
                got = try Descriptors.read(descriptor, into: &buffer, at: count, atMost: 1)
            } catch {
                throw .system("reading the passphrase from descriptor \(descriptor)", error)
            }
            if got == 0 {
                if count == 0 { return nil }
                break
            }
            count += 1
            if buffer.bytes[count - 1] == 0x0A { break }
            if count > longestInput { throw tooLong }
        }
        return try trimmed(buffer, count)
    }

    /// Reads a whole file, which may be a pipe or a device, but no terminal.
    static func contents(of path: String) throws(Failure) -> GuardedBuffer {
        let step = "reading the passphrase from \(Escaping.quoted(path))"
        let descriptor: Int32
        do throws(SystemError) { descriptor = try Descriptors.open(reading: path) } catch { throw .system(step, error) }
        defer { Descriptors.close(descriptor) }
        if Descriptors.isTerminal(descriptor) {
            throw .usage(
                "\(Escaping.quoted(path)) is a terminal, which would show the passphrase",
                hint: "leave the option out to be asked for it")
        }
        return try all(step) { (buffer, offset) throws(SystemError) in
            try Descriptors.read(descriptor, into: &buffer, at: offset)
        }
    }

    /// Reads what a command prints.
    static func output(of command: String) throws(Failure) -> GuardedBuffer {
        var child: ShellCommand
        do throws(SystemError) { child = try ShellCommand(command) } catch {
            throw .system("starting the passphrase command", error)
        }
        // Read to the end before waiting, or a command that prints much would wait for us.
        let buffer = try all("reading from the passphrase command") { (buffer, offset) throws(SystemError) in
            try child.read(into: &buffer, at: offset)
        }
        let status: ShellCommand.Status
        do throws(SystemError) { status = try child.end() } catch {
            throw .system("waiting for the passphrase command", error)
        }
        switch status {
        case .exited(0): return buffer
        case .exited(let code):
            throw Failure(
                .ioError, "the passphrase command failed with status \(code)", hint: "run it by itself to see why")
        case .killed(let signal):
            throw Failure(.ioError, "the passphrase command was ended by signal \(signal)")
        }
    }

    private static let tooLong = Failure(
        .refused, "the passphrase is longer than 1,024 bytes", hint: "is it the right file, descriptor or command?")

    private static func all(
        _ step: String, _ read: (_ buffer: inout GuardedBuffer, _ offset: Int) throws(SystemError) -> Int
    ) throws(Failure) -> GuardedBuffer {
        var buffer = try buffer(longestInput + 2)
        var count = 0
        while true {
            let got: Int
            do throws(SystemError) { got = try read(&buffer, count) } catch { throw .system(step, error) }
            if got == 0 { return try trimmed(buffer, count) }
            count += got
            if count > longestInput { throw tooLong }
        }
    }

    private static func buffer(_ count: Int) throws(Failure) -> GuardedBuffer {
        do throws(SecureMemoryError) { return try GuardedBuffer(count: count) } catch { throw .outOfMemory }
    }

    private static func trimmed(_ buffer: borrowing GuardedBuffer, _ count: Int) throws(Failure) -> GuardedBuffer {
        let bytes = buffer.bytes.extracting(first: count)
        let kept = UTF8Text.countWithoutNewline(bytes)
        do throws(SecureMemoryError) {
            return try GuardedBuffer(copying: bytes.extracting(first: kept))
        } catch {
            throw .outOfMemory
        }
    }
}
