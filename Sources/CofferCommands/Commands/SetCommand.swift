internal import Coffer
internal import PropertyLists
internal import SecureMemory

/// `set`: one setting gets a value.
enum SetCommand {
    static let command = Command(
        "set", "store a value",
        operands: [Operand("NAME", "the setting; / groups names by convention: github/token")],
        options: [.type, .file, .generate, .value, .notSecret, .allowEmpty, .forceGenerated],
        details: [
            "The value is never an argument. It comes from --file or --generate, else from standard input if that is no "
                + "terminal, else a person is asked for it: twice and without echo, but a number, a boolean, a date and what "
                + "is --not-secret once, in the clear.",
            "A setting of that name is replaced, also one of another type. Only --generate replaces none without --force. "
                + "The value that was replaced stays in the vault, for one coffer undo.",
            "Passphrase and value may both come on standard input, the passphrase as its first line: "
                + "printf 'pass\\nvalue' | coffer set b --passphrase-fd 0",
            "One trailing newline (LF or CRLF) of a file or of standard input is removed, except with --type data, which "
                + "stores every byte. Nothing else is trimmed. An empty value is refused unless --allow-empty is given.",
            "--type json takes any JSON without null; {\"$data\": \"Base64\"}, {\"$date\": \"2024-02-29T12:00:00Z\"} and "
                + "{\"$real\": \"nan\"} stand for what JSON lacks.",
        ],
        examples: [
            .init("coffer set github/token", "asks for it"),
            .init("coffer set github/token --generate", "makes one; coffer get shows it"),
            .init("coffer set tls/key --type data --file key.der", "stores the bytes of a file"),
            .init("coffer set retries --type integer --value 3", "a number is no secret"),
        ],
        surplusHint: { arguments in
            arguments.has(.generate)
                ? "a length stands in the same word, such as --generate=32"
                : "a value is never an argument: leave it out to be asked for it, pipe it in, or use --file"
        },
        run: run)

    private static func run(_ session: Session) throws {
        let name = session.operands[0]
        let path = try session.vaultPath()
        try SettingNames.check(name)
        let input = try ValueInput(session.arguments, name: name, vault: path)
        let isGenerated = session.arguments.has(.generate)
        let isReplacing = !isGenerated || session.arguments.has(.forceGenerated)
        try session.withAccess { access in
            try access.prepare()
            let list = try input.list()
            let before = try access.set(name, to: list, replacing: isReplacing)
            if let before, isGenerated || before != PropertyListReader(trusted: list.bytes).kind(of: 0) {
                session.console.note("replaced \(Escaping.quoted(name)) (was \(before))")
            }
        }
    }
}

extension CommandOption {
    static let forceGenerated = CommandOption(
        "force", short: "f", nil, "let --generate replace the value of a setting that is there")
}
