internal import Glibc
internal import SecureMemory

/// The output policy: data on standard output, everything that is said to a person on standard error.
///
/// Nothing is buffered and nothing is coloured, so `NO_COLOR` is honoured as it stands. A message has the prefix
/// `coffer: `, says what happened and to what, and a line `hint: ` says what to do. Characters that would steer a
/// terminal are shown, not sent.
package struct Console: Sendable {
    /// Whether only failures are said.
    let isQuiet: Bool
    /// Whether the data go to a terminal.
    let outputIsTerminal: Bool
    /// Whether a person is likely to read what is said.
    let errorIsTerminal: Bool

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        outputIsTerminal = Descriptors.isTerminal(STDOUT_FILENO)
        errorIsTerminal = Descriptors.isTerminal(STDERR_FILENO)
    }

    /// Writes bytes to standard output, straight from where they are.
    ///
    /// - Throws: `ioError` when not all could be written; never returns as if it had.
    func write(_ bytes: RawSpan) throws(Failure) {
        do throws(SystemError) {
            try Descriptors.write(bytes, to: STDOUT_FILENO)
        } catch {
            if error.number == EPIPE { WriteSignals.endByBrokenPipe() }
            throw Failure.system("not all was written to standard output", error)
        }
    }

    /// Writes text that is no secret to standard output, as it is.
    func write(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        try write(unsafe bytes.span.bytes)
    }

    /// Says what was done or what to know; not when quiet.
    func note(_ text: String) {
        if !isQuiet { say(text) }
    }

    /// Warns; not when quiet.
    func warning(_ text: String, hint: String? = nil) {
        guard !isQuiet else { return }
        say("warning: \(text)")
        if let hint { say("hint: \(hint)") }
    }

    /// Says why the command stops.
    func report(_ failure: Failure) {
        guard !failure.isSilent else { return }
        say(failure.message)
        if let hint = failure.hint { say("hint: \(hint)") }
    }

    // A message that cannot be delivered is no reason to stop: standard error may be closed.
    private func say(_ text: String) {
        try? Descriptors.write("coffer: \(Escaping.message(text))\n", to: STDERR_FILENO)
    }
}
