extension HelpText {
    /// All commands, for programs.
    package var overviewAsJSON: String { JSONText.array(table.commands.map(json(for:))).text }

    /// One command with its operands and options, for programs.
    func json(for command: Command) -> JSONText {
        .object([
            ("name", .string(command.name)), ("summary", .string(command.summary)), ("usage", .string(command.usage)),
            ("operands", .array(command.operands.map(Self.json))),
            ("options", .array((command.options + CommandOption.global).map(Self.json))),
        ])
    }

    private static func json(_ operand: Operand) -> JSONText {
        .object([
            ("name", .string(operand.name)), ("optional", .boolean(operand.isOptional)),
            ("repeated", .boolean(operand.isRepeated)), ("help", .string(operand.help)),
        ])
    }

    private static func json(_ option: CommandOption) -> JSONText {
        var members: [(String, JSONText)] = [("name", .string(option.spelling))]
        if let short = option.short { members.append(("short", .string("-\(short)"))) }
        if let argument = option.argument {
            members.append(("argument", .string(argument)))
            members.append(("argumentOptional", .boolean(option.argumentIsOptional)))
        }
        return .object(members + [("help", .string(option.help))])
    }
}
