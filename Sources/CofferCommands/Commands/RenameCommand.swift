internal import Coffer

/// `rename`: a setting gets another name.
enum RenameCommand {
    static let command = Command(
        "rename", "give a setting another name",
        operands: [Operand("OLD", "its name"), Operand("NEW", "its name from now on")], options: [.force],
        examples: [.init("coffer rename token github/token", "the value stays as it is")], run: run)

    private static func run(_ session: Session) throws {
        let (old, new) = (session.operands[0], session.operands[1])
        try SettingNames.check(new)
        let isForced = session.arguments.has(.force)
        try session.withAccess { access in try access.rename(old, to: new, replacing: isForced) }
    }
}

extension CommandOption {
    static let force = CommandOption("force", short: "f", nil, "replace a setting that has the new name")
}
