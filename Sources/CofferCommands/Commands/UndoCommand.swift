internal import Coffer

/// `undo`: the last change of a setting is taken back.
enum UndoCommand {
    static let command = Command(
        "undo", "take back the last change of a setting", operands: [Operand("NAME", "the setting")],
        details: [
            "The vault keeps the value that the last change of each setting replaced; undo swaps the two, so a second "
                + "undo takes back the first. A setting that was removed comes back if it was removed with unset --undoable.",
            "Where no value is kept, undo is refused: the setting was set only once, its value before did not fit into the "
                + "vault, or a program that keeps none has changed the settings since.",
        ],
        examples: [.init("coffer undo github/token", "the token from before is back")], run: run)

    private static func run(_ session: Session) throws {
        let name = session.operands[0]
        let wasThere = try session.withAccess { access in try access.undo(name) }
        let quoted = Escaping.quoted(name)
        session.console.note(
            wasThere
                ? "\(quoted) has the value from before its last change again; another undo takes this back"
                : "\(quoted) is back, with the value that it had when it was removed")
    }
}
