internal import Coffer

/// `check`: whether a file is whole, without its passphrase.
enum CheckCommand {
    static let command = Command(
        "check", "say whether a vault's file is whole, without its passphrase",
        operands: [Operand("FILE", optional: true, "a vault or a backup copy; else the vault")], options: [.json],
        details: [
            "It finds damage of every kind: changed and missing bytes, a file that is no vault. What only a holder of the "
                + "passphrase can tell (an edit on purpose) shows when the vault is opened.",
            "It answers in one line and by its exit code; coffer inspect shows each field, and where the damage is.",
        ],
        examples: [.init("coffer check backup.coffer && echo whole", "for scripts: the exit code says it")], run: run)

    private static func run(_ session: Session) throws {
        let path = try session.inspectedPath()
        let inspection = try session.inspection(of: path)
        guard session.arguments.has(.json) else {
            if session.console.isQuiet { return }
            return try session.console.write("\(Escaping.name(path)): whole, \(inspection.fileLength) bytes\n")
        }
        try session.console.write(
            JSONText.object([
                ("path", .string(path)), ("whole", .boolean(true)), ("bytes", .integer(UInt64(inspection.fileLength))),
            ]).text)
    }
}

extension Session {
    /// The file that the command is to look at: its operand, else the vault.
    func inspectedPath() throws(Failure) -> String {
        guard let path = operands.first else { return try vaultPath() }
        guard !path.isEmpty else { throw .usage("FILE is empty") }
        return path
    }

    /// Reads what a file says without a passphrase; a failure names that file.
    func inspection(of path: String) throws(Failure) -> VaultInspection {
        do throws(VaultError) {
            return try Vault(at: .file(path)).inspect()
        } catch {
            throw Failure(error, vault: path)
        }
    }
}
