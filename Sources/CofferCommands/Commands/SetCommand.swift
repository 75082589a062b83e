internal import Coffer
internal import SecureMemory

/// `set`: one setting gets a value.
enum SetCommand {
    static let command = Command(
        "set", "store a value",
        operands: [Operand("NAME", "the setting; / groups names by convention: github/token")],
        options: [.type, .file, .generate, .value, .notSecret, .allowEmpty],
        details: [
            "The value is never an argument. It comes from --file or --generate, else from standard input if that is no "
                + "terminal, else a person is asked for it twice, without echo.",
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
        surplusHint: "a value is never an argument: leave it out to be asked for it, pipe it in, or use --file",
        run: run)

    private static func run(_ session: Session) throws {
        let name = session.operands[0]
        let path = try session.vaultPath()
        try SettingNames.check(name)
        let input = try ValueInput(session.arguments, name: name, vault: path)
        let vault = try session.unlockedVault()
        defer { vault.lock() }
        let list = try input.list()
        try session.saving("the value of \(Escaping.quoted(name)) is stored") {
            try vault.update { draft in draft.set(name, list: list.bytes) }
        }
        session.warnOfSave(vault)
    }
}
