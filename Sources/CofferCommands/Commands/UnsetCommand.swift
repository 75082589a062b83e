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
        try session.saving("the settings are removed") {
            try vault.update { draft in
                for name in session.operands {
                    guard try draft.contains(name) else { throw Failure.notFound(name, vault: path) }
                }
                // A name that was given twice is gone by the second time.
                for name in session.operands { _ = draft.remove(name) }
            }
        }
        session.warnOfSave(vault)
    }
}
