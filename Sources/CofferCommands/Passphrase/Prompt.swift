internal import SecureMemory

/// Asks a person at the controlling terminal, as a rule for something that must not be seen.
struct Prompt: ~Copyable {
    private static let tries = 3
    private let terminal: Terminal

    /// Opens the terminal.
    ///
    /// - Parameters:
    ///   - arguments: the options; `--no-input` forbids asking.
    ///   - missing: what would be asked for.
    ///   - options: the options that give it without a terminal.
    /// - Throws: `locked` when nobody can be asked.
    init(_ arguments: Arguments, missing: String, options: String) throws(Failure) {
        let hint = "give it with \(options)"
        if arguments.has(.noInput) {
            throw Failure(.locked, "\(missing) is needed, and --no-input forbids asking for it", hint: hint)
        }
        guard let terminal = Terminal() else {
            throw Failure(.locked, "\(missing) is needed, and there is no terminal to ask at", hint: hint)
        }
        self.terminal = terminal
    }

    /// Whether anybody can be asked.
    static func isPossible(_ arguments: Arguments) -> Bool { !arguments.has(.noInput) && Terminal() != nil }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - prompt: the question.
    ///   - isShown: whether what is typed may be seen.
    borrowing func once(_ prompt: String, isShown: Bool = false) throws(Failure) -> GuardedBuffer {
        do throws(Terminal.ReadError) {
            return try terminal.readLine(prompt: prompt, isShown: isShown)
        } catch {
            switch error {
            case .tooLong:
                throw Failure(
                    .refused, "the input is longer than a terminal line can be; all of it was discarded",
                    hint: "give it in a file or through a pipe")
            case .severalLines:
                throw Failure(
                    .refused, "more than one line came at once; all of it was discarded",
                    hint: "give text of several lines in a file or through a pipe")
            case .ended: throw Failure(.refused, "nothing was typed: the input ended")
            case .echoes:
                throw Failure(
                    .ioError, "the terminal goes on showing what is typed, so nothing is asked",
                    hint: "give it in a file or through a pipe")
            case .system(let error): throw .system("reading from the terminal", error)
            case .memory: throw .outOfMemory
            }
        }
    }

    /// Asks twice, and again when the first answer is refused or the two differ.
    ///
    /// - Parameters:
    ///   - prompt: the first question.
    ///   - again: the second question.
    ///   - what: what two of them are called.
    ///   - refusal: why the first answer will not do, if it will not.
    borrowing func twice(
        _ prompt: String, again: String, what: String,
        refusal: (borrowing GuardedBuffer) throws(Failure) -> Failure? = { (_) throws(Failure) in nil }
    ) throws(Failure) -> GuardedBuffer {
        for remaining in (0..<Self.tries).reversed() {
            let first = try once(prompt)
            // Asking for nothing twice is no use.
            if first.count == 0 { return first }
            if let failure = try refusal(first) {
                guard remaining > 0 else { throw failure }
                terminal.show("\(failure.message); \(failure.hint ?? "take another one").\nTry again.\n")
                continue
            }
            let second = try once(again)
            if Self.areEqual(first, second) { return first }
            if remaining > 0 { terminal.show("The two \(what) differ. Try again.\n") }
        }
        throw Failure(.refused, "the two \(what) differed \(Self.tries) times")
    }

    private static func areEqual(_ left: borrowing GuardedBuffer, _ right: borrowing GuardedBuffer) -> Bool {
        left.bytes.equalsInConstantTime(right.bytes)
    }
}
