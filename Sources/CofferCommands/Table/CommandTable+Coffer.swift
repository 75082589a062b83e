extension CommandTable {
    /// All verbs of the program.
    package static let coffer = CommandTable([
        HelpCommand.command,
        VersionCommand.command,
    ])
}
