internal import Coffer

/// `unset`: settings go away, all of them or none.
enum UnsetCommand {
    static let command = Command(
        "unset", "remove settings", operands: [Operand("NAME", repeated: true, "the setting")],
        options: [.undoable],
        details: [
            "If one of them does not exist, nothing is removed.",
            "The values leave the vault, and so do those that coffer undo would have brought back. With --undoable the "
                + "values stay in it, sealed like all else, until the name is set or unset again.",
        ],
        examples: [
            .init("coffer unset github/token", "removes it"),
            .init("coffer unset github/token --undoable", "removes it, and coffer undo brings it back"),
        ], run: run)

    private static func run(_ session: Session) throws {
        let path = try session.vaultPath()
        let vault = try session.unlockedVault()
        defer { vault.lock() }
        try session.saving("the settings are removed") {
            try vault.update { draft in
                let undoable = session.arguments.has(.undoable)
                for name in session.operands {
                    // What an earlier --undoable kept is there to be removed as well.
                    let isThere = try draft.contains(name) || (!undoable && draft.canUndo(name))
                    guard isThere else { throw Failure.notFound(name, vault: path) }
                }
                // A name that was given twice is gone by the second time.
                for name in session.operands { _ = draft.remove(name, undoable: undoable) }
            }
        }
        session.warnOfSave(vault)
    }
}

extension CommandOption {
    static let undoable = CommandOption("undoable", nil, "keep the values in the vault for coffer undo")
}
