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
            return Secret(try Self.checked(try Self.read(origin)))
        }
        let prompt = try Prompt(arguments, missing: "the passphrase", options: PassphraseOrigin.Options.current.list)
        return Secret(try Self.checked(try prompt.once("Passphrase of \(Escaping.quoted(vault)): ")))
    }

    /// The passphrase of a vault that is to be made; a weak one is refused unless it is allowed.
    func first() throws(Failure) -> Secret {
        let origin = try PassphraseOrigin.chosen(in: arguments, .current)
        return try fresh(from: origin, options: .current)
    }

    /// The passphrase that replaces the current one, asked for after it.
    func replacement() throws(Failure) -> Secret {
        if let origin = try PassphraseOrigin.chosen(in: arguments, .new) {
            return try fresh(from: origin, options: .new)
        }
        // The next line of the descriptor that gave the current one, if there is one.
        if case .descriptor(let number)? = try PassphraseOrigin.chosen(in: arguments, .current),
            let line = try PassphraseReader.line(of: number)
        {
            return try strong(try Self.checked(line))
        }
        return try fresh(from: nil, options: .new)
    }

    private func fresh(from origin: PassphraseOrigin?, options: PassphraseOrigin.Options) throws(Failure) -> Secret {
        if let origin { return try strong(try Self.checked(try Self.read(origin))) }
        let prompt = try Prompt(arguments, missing: "the new passphrase", options: options.list)
        let name = Escaping.quoted(vault)
        return try strong(
            try Self.checked(
                try prompt.twice("New passphrase for \(name): ", again: "The same again: ", what: "passphrases")))
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
    private static func checked(_ raw: consuming GuardedBuffer) throws(Failure) -> GuardedBuffer {
        let normal: GuardedBuffer
        do throws(SecureMemoryError) { normal = try Normalization.nfc(raw.bytes) } catch { throw .outOfMemory }
        if normal.count == 0 { throw Failure(.refused, "the passphrase is empty") }
        if normal.count > 1024 { throw Failure(.refused, "the passphrase is longer than 1,024 bytes") }
        return normal
    }

    private func strong(_ passphrase: consuming GuardedBuffer) throws(Failure) -> Secret {
        if !arguments.has(.allowWeak), let weakness = try PassphraseStrength.weakness(of: passphrase.bytes) {
            throw Failure(
                .refused, "the new passphrase is easy to guess: \(weakness.text)",
                hint: "take four or more random words, or 12 or more random characters; --allow-weak takes it as it is")
        }
        return Secret(passphrase)
    }
}
