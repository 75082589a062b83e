extension CommandTable {
    /// All verbs of the program, in the order of the help.
    package static let coffer = CommandTable([
        InitCommand.command,
        UnlockCommand.command,
        LockCommand.command,
        StatusCommand.command,
        GetCommand.command,
        SetCommand.command,
        UnsetCommand.command,
        RenameCommand.command,
        UndoCommand.command,
        ListCommand.command,
        PassphraseCommand.command,
        CheckCommand.command,
        InspectCommand.command,
        AgentCommand.command,
        HelpCommand.command,
        VersionCommand.command,
    ])
}
