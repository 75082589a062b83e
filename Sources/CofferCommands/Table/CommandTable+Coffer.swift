extension CommandTable {
    /// All verbs of the program, in the order of the help.
    package static let coffer = CommandTable([
        ("init", { InitCommand.command }),
        ("unlock", { UnlockCommand.command }),
        ("lock", { LockCommand.command }),
        ("status", { StatusCommand.command }),
        ("get", { GetCommand.command }),
        ("set", { SetCommand.command }),
        ("unset", { UnsetCommand.command }),
        ("rename", { RenameCommand.command }),
        ("undo", { UndoCommand.command }),
        ("list", { ListCommand.command }),
        ("passphrase", { PassphraseCommand.command }),
        ("check", { CheckCommand.command }),
        ("inspect", { InspectCommand.command }),
        ("agent", { AgentCommand.command }),
        ("help", { HelpCommand.command }),
        ("version", { VersionCommand.command }),
    ])
}
