internal import Glibc

/// Where a passphrase comes from, as the options say.
enum PassphraseOrigin: Equatable {
    case descriptor(Int32)
    case file(String)
    case command(String)

    /// The three options that name an origin.
    struct Options {
        let descriptor: CommandOption
        let file: CommandOption
        let command: CommandOption

        /// The passphrase that opens the vault, and the one of a new vault.
        static let current = Options(
            descriptor: .passphraseFD, file: .passphraseFile, command: .passphraseCommand)
        /// The passphrase that replaces it.
        static let new = Options(
            descriptor: .newPassphraseFD, file: .newPassphraseFile, command: .newPassphraseCommand)

        /// For a hint.
        var list: String { "\(descriptor.spelling), \(file.spelling) or \(command.spelling)" }
    }

    /// What the options say.
    ///
    /// - Returns: nothing when none of them was given.
    /// - Throws: a usage failure when more than one was given, or the number is no descriptor to read from.
    static func chosen(in arguments: Arguments, _ options: Options) throws(Failure) -> PassphraseOrigin? {
        var chosen: [PassphraseOrigin] = []
        if let number = try descriptor(options.descriptor, in: arguments) { chosen.append(.descriptor(number)) }
        if let path = arguments.value(of: options.file) {
            guard path != "-" else {
                throw .usage(
                    "\(options.file.spelling) takes the path of a file",
                    hint: "\(options.descriptor.spelling) 0 reads standard input; a file of that name is ./-")
            }
            chosen.append(.file(path))
        }
        if let command = arguments.value(of: options.command) { chosen.append(.command(command)) }
        guard chosen.count <= 1 else {
            throw .usage("a passphrase has one source: give one of \(options.list)")
        }
        return chosen.first
    }

    /// Checks that the descriptors which the options name are open.
    ///
    /// It comes before anything is opened: a file of ours would get the number of a closed one, and be read for it.
    ///
    /// - Throws: `ioError` for a closed one; a usage failure when the number is no descriptor to read from.
    static func checkDescriptors(in arguments: Arguments) throws(Failure) {
        for option in [Options.current.descriptor, Options.new.descriptor] {
            guard let number = try descriptor(option, in: arguments) else { continue }
            do throws(SystemError) { try Descriptors.checkIsOpen(number) } catch {
                throw .system("using descriptor \(number) for \(option.spelling)", error)
            }
            // A passphrase command must not read another passphrase.
            if number > STDERR_FILENO { Descriptors.closeOnExec(number) }
        }
    }

    private static func descriptor(_ option: CommandOption, in arguments: Arguments) throws(Failure) -> Int32? {
        guard let text = arguments.value(of: option) else { return nil }
        guard let number = Int32(text), number >= 0, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .usage("\(option.spelling) needs the number of a descriptor")
        }
        guard number != STDOUT_FILENO, number != STDERR_FILENO else {
            throw .usage("\(option.spelling) cannot be standard output or standard error")
        }
        return number
    }
}

extension CommandOption {
    static let newPassphraseFD = CommandOption(
        "new-passphrase-fd", "N", "read the new passphrase from descriptor N; may be the same N, then the next line")
    static let newPassphraseFile = CommandOption(
        "new-passphrase-file", "FILE", "the new passphrase is the contents of FILE, less one trailing newline")
    static let newPassphraseCommand = CommandOption(
        "new-passphrase-command", "COMMAND", "the new passphrase is what COMMAND prints, less one trailing newline")
    static let allowWeak = CommandOption("allow-weak", nil, "take a new passphrase that is easy to guess")
}
