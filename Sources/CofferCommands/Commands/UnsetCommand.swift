internal import Coffer

/// `unset`: settings go away, all of them or none.
enum UnsetCommand {
    static let command = Command(
        "unset", "remove settings", operands: [Operand("NAME", repeated: true, "the setting")],
        details: ["If one of them does not exist, nothing is removed."],
        examples: [.init("coffer unset github/token", "removes it")], run: run)

    private static func run(_ session: Session) throws {
        let path = try session.vaultPath()
        let vault = try session.unlockedVault()
        defer { vault.lock() }
        try vault.update { draft in
            for name in session.operands {
                guard draft.remove(name) else { throw Failure.notFound(name, vault: path) }
            }
        }
        session.warnOfSave(vault)
    }
}
