internal import CSystem
internal import Glibc
internal import SecureMemory

#if !os(Linux)
    #error("Terminal knows Linux only: add a file for this system to this folder")
#endif

/// The terminal that controls this process, for asking a person without showing what is typed.
///
/// Bytes go from the kernel straight into guarded memory. Whatever happens while it waits (a signal that ends the
/// process, one that stops it, an error), the terminal gets its own settings back first. No call waits for anything but
/// in `PromptSignals.wait`, where a signal is seen: a terminal whose output is stopped (Ctrl-S) takes no byte for hours.
struct Terminal: ~Copyable {
    /// Why a line could not be read.
    enum ReadError: Error, Equatable {
        /// The line is longer than the buffer, or than the kernel keeps.
        case tooLong
        /// More than one line came at once: a paste, of which the first line alone would be a cut.
        case severalLines
        /// The input ended before a line did.
        case ended
        /// The terminal took the settings and still shows what is typed.
        case echoes
        case system(SystemError)
        case memory
    }

    private let descriptor: Int32

    /// Opens the terminal; nothing if the process has none.
    init?() {
        // The descriptor is ours alone, so no other program is surprised that it does not wait.
        let opened = unsafe cs_open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK, 0)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit { Descriptors.close(descriptor) }

    /// What the kernel keeps of one line while it is edited; it drops the rest without a word.
    static let longestLine = 4095

    /// Shows a line, and waits until the terminal takes it.
    borrowing func show(_ text: String) { try? Descriptors.write(Escaping.message(text), to: descriptor) }

    /// Shows a prompt and reads one line.
    ///
    /// - Parameters:
    ///   - prompt: the text, shown again when the process was stopped meanwhile.
    ///   - isShown: whether the terminal shows what is typed.
    /// - Returns: the line, without its newline.
    borrowing func readLine(prompt: String, isShown: Bool) throws(ReadError) -> GuardedBuffer {
        var line = try Self.buffer(Self.longestLine + 1)
        var surplus = try Self.buffer(64)
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .system(SystemError(number: errno)) }
        let signals = PromptSignals()
        guard signals.descriptor >= 0 else { throw .system(SystemError(number: errno)) }
        do throws(ReadError) { try prepare(before, signals, isShown: isShown) } catch {
            restore(before)
            throw error
        }
        let text = Array(Escaping.message(prompt).utf8)
        var unshown = text[...]
        var count = 0
        var failure: ReadError?
        reading: while true {
            var signal: Int32?
            switch signals.wait(for: descriptor, unshown.isEmpty ? POLLIN : POLLOUT) {
            case .ready where !unshown.isEmpty: showSome(&unshown)
            case .ready:
                do throws(SystemError) {
                    guard let got = try Descriptors.readNow(descriptor, into: &line, at: count) else { continue }
                    count += got
                    if got == 0 { failure = .ended }
                } catch {
                    // Nothing is read here once another program has the terminal: we stop, as if we had waited for it.
                    if error.number == EIO && isInBackground { signal = SIGTTIN } else { failure = .system(error) }
                }
            case .signal(let number): signal = number
            case .failure(let error): failure = .system(error)
            }
            if let signal {
                // What was typed before belongs to nobody any more.
                line.wipe()
                count = 0
                if signal != SIGCONT {
                    restore(before)
                    showNewline()
                    signals.deliver(signal)
                }
                do throws(ReadError) { try prepare(before, signals, isShown: isShown) } catch { failure = error }
                unshown = text[...]
            }
            if failure != nil { break reading }
            let isWhole = count > 0 && line.bytes[count - 1] == 0x0A
            if isWhole { count -= 1 }
            // The kernel hands over more than it can keep only when the end of the line was lost.
            if count >= Self.longestLine { failure = .tooLong }
            if isWhole || failure != nil { break reading }
        }
        if drain(into: &surplus, waiting: failure == nil ? 30 : 100) && failure == nil { failure = .severalLines }
        restore(before)
        // What is shown brings its own newline.
        if !isShown || failure != nil { showNewline() }
        if let failure { throw failure }
        do throws(SecureMemoryError) {
            return try GuardedBuffer(copying: line.bytes.extracting(first: count))
        } catch {
            throw .memory
        }
    }

    private static func buffer(_ count: Int) throws(ReadError) -> GuardedBuffer {
        do throws(SecureMemoryError) { return try GuardedBuffer(count: count) } catch { throw .memory }
    }

    private var isInBackground: Bool { tcgetpgrp(descriptor) != getpgrp() }

    // What a terminal does not take, or not now, is not shown.
    private borrowing func showSome(_ text: inout ArraySlice<UInt8>) {
        let count = unsafe text.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            text = text.dropFirst(count)
        } else if errno != EAGAIN && errno != EINTR {
            text = []
        }
    }

    private borrowing func showNewline() {
        var newline: ArraySlice<UInt8> = [0x0A]
        showSome(&newline)
    }

    // Lines as the kernel edits them, as a rule without echo. What was typed before the prompt was shown in the clear:
    // dropped. Throws if the terminal would show what it must not: nobody is asked then.
    private borrowing func prepare(
        _ before: termios, _ signals: borrowing PromptSignals, isShown: Bool
    ) throws(ReadError) {
        var settings = before
        settings.c_lflag = settings.c_lflag & ~tcflag_t(ECHO | ECHONL) | tcflag_t(isShown ? ECHO : 0)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        settings.c_iflag &= ~tcflag_t(INLCR | IGNCR)
        settings.c_iflag |= tcflag_t(ICRNL)
        // In the background the system stops us here, until the terminal is ours.
        let isApplied = isInBackground ? signals.letting(SIGTTOU) { apply(settings) } : apply(settings)
        guard isApplied else { throw .system(SystemError(number: errno)) }
        _ = tcflush(descriptor, TCIFLUSH)
        // The system call succeeds when it could do a part of it.
        var now = termios()
        guard unsafe tcgetattr(descriptor, &now) == 0 else { throw .system(SystemError(number: errno)) }
        guard isShown || now.c_lflag & tcflag_t(ECHO) == 0 else { throw .echoes }
    }

    // Also drops the rest of a paste, which must not reach the next prompt or the shell.
    private borrowing func restore(_ before: termios) {
        _ = tcflush(descriptor, TCIFLUSH)
        _ = apply(before)
    }

    // At once: to wait for what is being shown (TCSADRAIN, TCSAFLUSH) could be to wait for ever.
    private borrowing func apply(_ settings: termios) -> Bool {
        var settings = settings
        while unsafe tcsetattr(descriptor, TCSANOW, &settings) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    // A paste arrives in pieces: drops them until none comes for a moment, for two seconds at most. Says whether there
    // were any, but for a newline alone: the kernel has made two of the CRLF at the end of one line.
    private borrowing func drain(into surplus: inout GuardedBuffer, waiting first: Int32) -> Bool {
        // Out of line mode the kernel also reports a piece without a newline.
        var settings = termios()
        if unsafe tcgetattr(descriptor, &settings) == 0 {
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            unsafe withUnsafeMutableBytes(of: &settings.c_cc) { characters in
                unsafe characters[Int(VMIN)] = 1
                unsafe characters[Int(VTIME)] = 0
            }
            _ = apply(settings)
        }
        var count = 0
        var isNewline = true
        for round in 0..<20 {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, round == 0 ? first : 100) > 0, entry.revents & Int16(POLLIN) != 0 else {
                break
            }
            do throws(SystemError) {
                guard let got = try Descriptors.readNow(descriptor, into: &surplus, at: 0) else { continue }
                if got == 0 { break }
                isNewline = isNewline && surplus.bytes[0] == 0x0A
                count += got
                if got == surplus.count { _ = tcflush(descriptor, TCIFLUSH) }
            } catch {
                break
            }
        }
        return count > 1 || count == 1 && !isNewline
    }
}
