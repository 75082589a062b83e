/// `help`: the commands, one command, or the statuses.
enum HelpCommand {
    static let command = Command(
        "help", "explain the commands, one command, or the exit codes",
        operands: [Operand("TOPIC", optional: true, "a command, or exit-codes")], options: [.json],
        examples: [.init("coffer help exit-codes --json", "the statuses and what they mean, for programs")],
        run: run)

    private static func run(_ session: Session) throws {
        let help = HelpText(session.table)
        guard let topic = session.arguments.operands.first else { return try session.console.write(help.overview) }
        if topic == "exit-codes" {
            let asJSON = session.arguments.has(.json)
            return try session.console.write(asJSON ? HelpText.exitCodesAsJSON : HelpText.exitCodes)
        }
        guard let command = session.table.command(topic) else {
            let near = Suggestion.nearest(to: topic, in: session.table.commands.map(\.name) + ["exit-codes"])
            throw Failure.usage("no help on that", hint: near.map { "did you mean coffer help \($0)?" })
        }
        try session.console.write(help.text(for: command))
    }
}
