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
        let isUndoable = session.arguments.has(.undoable)
        try session.withAccess { access in try access.remove(session.operands, undoable: isUndoable) }
    }
}

extension CommandOption {
    static let undoable = CommandOption("undoable", nil, "keep the values in the vault for coffer undo")
}
