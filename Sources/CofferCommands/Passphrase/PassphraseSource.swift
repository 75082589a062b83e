internal import SecureMemory

/// Gets passphrases: from the source that the options name, else from a person at the terminal.
struct PassphraseSource {
    private let arguments: Arguments
    private let vault: String

    /// - Parameters:
    ///   - arguments: the options.
    ///   - vault: the path of the vault, for the prompt.
    init(_ arguments: Arguments, vault: String) {
        self.arguments = arguments
        self.vault = vault
    }

    /// The passphrase of an existing vault.
    func current() throws(Failure) -> Secret {
        if let origin = try PassphraseOrigin.chosen(in: arguments, .current) {
            let raw = try Self.read(origin)
            return Secret(try Self.checked(raw.bytes))
        }
        let prompt = try Prompt(arguments, missing: "the passphrase", options: PassphraseOrigin.Options.current.list)
        let line = try prompt.once("Passphrase of \(Escaping.quoted(vault)): ")
        return Secret(try Self.checked(line.bytes))
    }

    /// The passphrase of a vault that is to be made; a weak one is refused unless it is allowed.
    func first() throws(Failure) -> Secret {
        if let origin = try PassphraseOrigin.chosen(in: arguments, .current) {
            return try accepted(try Self.read(origin)) { _ in false }
        }
        return try asked(.current) { _ in false }
    }

    /// The passphrase that replaces the current one, asked for after it; the same one again is never too weak.
    ///
    /// - Parameters:
    ///   - current: the passphrase of the vault.
    ///   - mayKeep: whether the current one may stay when nothing gives another and nobody can be asked.
    /// - Returns: nothing when the current one stays.
    func replacement(of current: borrowing Secret, mayKeep: Bool) throws(Failure) -> Secret? {
        if let origin = try PassphraseOrigin.chosen(in: arguments, .new) {
            return try accepted(try Self.read(origin)) { (bytes) in current.holds(bytes) }
        }
        // The next line of the descriptor that gave the current one, if there is one.
        if case .descriptor(let number)? = try PassphraseOrigin.chosen(in: arguments, .current),
            let line = try PassphraseReader.line(of: number)
        {
            return try accepted(line) { (bytes) in current.holds(bytes) }
        }
        if mayKeep && !Prompt.isPossible(arguments) { return nil }
        return try asked(.new) { (bytes) in current.holds(bytes) }
    }

    private func asked(
        _ options: PassphraseOrigin.Options, unless isCurrent: (RawSpan) -> Bool
    ) throws(Failure) -> Secret {
        let prompt = try Prompt(arguments, missing: "the new passphrase", options: options.list)
        let line = try prompt.twice(
            "New passphrase for \(Escaping.quoted(vault)): ", again: "The same again: ", what: "passphrases"
        ) { (typed) throws(Failure) in
            let passphrase = try Self.checked(typed.bytes)
            return try isCurrent(passphrase.bytes) ? nil : weakness(of: passphrase.bytes)
        }
        return Secret(try Self.checked(line.bytes))
    }

    private func accepted(
        _ raw: consuming GuardedBuffer, unless isCurrent: (RawSpan) -> Bool
    ) throws(Failure) -> Secret {
        let passphrase = Secret(try Self.checked(raw.bytes))
        let failure = try passphrase.withBytes { (bytes) throws(Failure) in
            try isCurrent(bytes) ? nil : weakness(of: bytes)
        }
        if let failure { throw failure }
        return passphrase
    }

    private static func read(_ origin: PassphraseOrigin) throws(Failure) -> GuardedBuffer {
        switch origin {
        case .file(let path): return try PassphraseReader.contents(of: path)
        case .command(let command): return try PassphraseReader.output(of: command)
        case .descriptor(let number):
            guard let line = try PassphraseReader.line(of: number) else {
                throw Failure(.refused, "no passphrase came from descriptor \(number): the input had ended")
            }
            return line
        }
    }

    // The limits of the format, on the text in NFC.
    private static func checked(_ raw: RawSpan) throws(Failure) -> GuardedBuffer {
        let normal: GuardedBuffer
        do throws(SecureMemoryError) { normal = try Normalization.nfc(raw) } catch { throw .outOfMemory }
        if normal.count == 0 { throw Failure(.refused, "the passphrase is empty") }
        if normal.count > 1024 { throw Failure(.refused, "the passphrase is longer than 1,024 bytes") }
        return normal
    }

    private func weakness(of passphrase: RawSpan) throws(Failure) -> Failure? {
        guard !arguments.has(.allowWeak), let weakness = try PassphraseStrength.weakness(of: passphrase) else {
            return nil
        }
        return Failure(
            .refused, "the new passphrase is easy to guess: \(weakness.text)",
            hint: "take four or more random words, or 12 or more random characters; --allow-weak takes it as it is")
    }
}

extension Secret {
    fileprivate borrowing func holds(_ bytes: RawSpan) -> Bool { withBytes { $0.equalsInConstantTime(bytes) } }
}
