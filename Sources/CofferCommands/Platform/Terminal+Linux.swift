internal import CSystem
internal import Glibc
internal import SecureMemory

#if !os(Linux)
    #error("Terminal knows Linux only: add a file for this system to this folder")
#endif

/// The terminal that controls this process, for asking a person without showing what is typed.
///
/// Bytes go from the kernel straight into guarded memory. Whatever happens while it waits (a signal that ends the
/// process, one that stops it, an error), the terminal gets its own settings back first.
struct Terminal: ~Copyable {
    /// Why a line could not be read.
    enum ReadError: Error, Equatable {
        /// The line is longer than the buffer, or than the kernel keeps.
        case tooLong
        /// More than one line came at once: a paste, of which the first line alone would be a cut.
        case severalLines
        /// The input ended before a line did.
        case ended
        case system(SystemError)
        case memory
    }

    private let descriptor: Int32

    /// Opens the terminal; nothing if the process has none.
    init?() {
        let opened = unsafe cs_open("/dev/tty", O_RDWR | O_NOCTTY, 0)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit { Descriptors.close(descriptor) }

    /// What the kernel keeps of one line while it is edited; it drops the rest without a word.
    static let longestLine = 4095

    /// Shows a line.
    borrowing func show(_ text: String) { try? Descriptors.write(Escaping.message(text), to: descriptor) }

    /// Shows a prompt and reads one line without showing it.
    ///
    /// - Parameter prompt: the text, shown again when the process was stopped meanwhile.
    /// - Returns: the line, without its newline.
    borrowing func readLine(prompt: String) throws(ReadError) -> GuardedBuffer {
        var line: GuardedBuffer
        do throws(SecureMemoryError) { line = try GuardedBuffer(count: Self.longestLine + 1) } catch { throw .memory }
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .system(SystemError(number: errno)) }
        let signals = PromptSignals()
        guard signals.descriptor >= 0 else { throw .system(SystemError(number: errno)) }
        var count = 0
        var failure: ReadError?
        guard hide(before) else {
            let number = errno
            restore(before)
            throw .system(SystemError(number: number))
        }
        show(prompt)
        reading: while true {
            switch signals.wait(for: descriptor) {
            case .input:
                let got: Int
                do throws(SystemError) {
                    got = try Descriptors.read(descriptor, into: &line, at: count)
                } catch {
                    failure = .system(error)
                    break reading
                }
                guard got > 0 else {
                    failure = .ended
                    break reading
                }
                count += got
                if line.bytes[count - 1] == 0x0A {
                    count -= 1
                    if count >= Self.longestLine { failure = .tooLong }
                    break reading
                }
                // The kernel hands over more than it can keep only when the end of the line was lost.
                if count >= Self.longestLine {
                    failure = .tooLong
                    break reading
                }
            case .signal(let number):
                // What was typed before belongs to nobody any more.
                line.wipe()
                count = 0
                if number != SIGCONT {
                    restore(before)
                    show("\n")
                    signals.deliver(number)
                }
                guard hide(before) else {
                    failure = .system(SystemError(number: errno))
                    break reading
                }
                show(prompt)
            case .failure(let error):
                failure = .system(error)
                break reading
            }
        }
        let surplus = drain(waiting: failure == nil ? 30 : 100)
        if surplus && failure == nil { failure = .severalLines }
        restore(before)
        show("\n")
        if let failure { throw failure }
        do throws(SecureMemoryError) {
            return try GuardedBuffer(copying: line.bytes.extracting(first: count))
        } catch {
            throw .memory
        }
    }

    // Lines as the kernel edits them, without echo. What was typed before the prompt was shown in the clear: dropped.
    // False if the terminal would show it: nobody is asked then.
    private borrowing func hide(_ before: termios) -> Bool {
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        hidden.c_lflag |= tcflag_t(ICANON | ISIG)
        hidden.c_iflag &= ~tcflag_t(INLCR | IGNCR)
        hidden.c_iflag |= tcflag_t(ICRNL)
        guard apply(hidden) else { return false }
        // The system call succeeds when it could do a part of it.
        var now = termios()
        guard unsafe tcgetattr(descriptor, &now) == 0 else { return false }
        return now.c_lflag & tcflag_t(ECHO) == 0
    }

    // Also drops the rest of a paste, which must not reach the next prompt or the shell.
    private borrowing func restore(_ before: termios) { _ = apply(before) }

    private borrowing func apply(_ settings: termios) -> Bool {
        var settings = settings
        while unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    // A paste arrives in pieces: drops them until none comes for a moment, for two seconds at most. Says whether there
    // were any.
    private borrowing func drain(waiting first: Int32) -> Bool {
        // Out of line mode the kernel also reports a piece without a newline.
        var settings = termios()
        if unsafe tcgetattr(descriptor, &settings) == 0 {
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
        }
        for round in 0..<20 {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, round == 0 ? first : 100) > 0, entry.revents & Int16(POLLIN) != 0 else {
                return round > 0
            }
            _ = tcflush(descriptor, TCIFLUSH)
        }
        return true
    }
}
