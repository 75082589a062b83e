internal import Coffer

/// `rename`: a setting gets another name.
enum RenameCommand {
    static let command = Command(
        "rename", "give a setting another name",
        operands: [Operand("OLD", "its name"), Operand("NEW", "its name from now on")], options: [.force],
        examples: [.init("coffer rename token github/token", "the value stays as it is")], run: run)

    private static func run(_ session: Session) throws {
        let (old, new) = (session.operands[0], session.operands[1])
        let path = try session.vaultPath()
        try SettingNames.check(new)
        let vault = try session.unlockedVault()
        defer { vault.lock() }
        let isForced = session.arguments.has(.force)
        try session.saving("the setting has its new name") {
            try vault.update { draft in
                guard try draft.contains(old) else { throw Failure.notFound(old, vault: path) }
                guard try isForced || old == new || !draft.contains(new) else {
                    throw Failure(
                        .refused, "there is already a setting \(Escaping.quoted(new))", hint: "--force replaces it")
                }
                draft.rename(old, to: new, replacing: isForced)
            }
        }
        session.warnOfSave(vault)
    }
}

extension CommandOption {
    static let force = CommandOption("force", short: "f", nil, "replace a setting that has the new name")
}
