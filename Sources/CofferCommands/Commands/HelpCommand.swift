/// `help`: the commands, one command, or the statuses.
enum HelpCommand {
    static let command = Command(
        "help", "explain the commands, one command, or the exit codes",
        operands: [Operand("TOPIC", optional: true, "a command, or exit-codes")], options: [.json],
        examples: [
            .init("coffer help set --json", "one command and its options, for programs"),
            .init("coffer help exit-codes --json", "the statuses and what they mean, for programs"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let help = HelpText(session.table)
        let asJSON = session.arguments.has(.json)
        guard let topic = session.arguments.operands.first else {
            return try session.console.write(asJSON ? help.overviewAsJSON : help.overview)
        }
        if topic == "exit-codes" {
            return try session.console.write(asJSON ? HelpText.exitCodesAsJSON : HelpText.exitCodes)
        }
        guard let command = session.table.command(topic) else {
            let near = Suggestion.verb(topic, among: session.table.names + ["exit-codes"])
            throw Failure.usage(
                "no help on that",
                hint: near.map { "did you mean coffer help \($0)?" } ?? "coffer help lists the commands")
        }
        try session.console.write(asJSON ? help.json(for: command).text : help.text(for: command))
    }
}
