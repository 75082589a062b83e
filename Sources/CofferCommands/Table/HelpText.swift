/// The help, made from the command table.
package struct HelpText: Sendable {
    let table: CommandTable

    /// The help of a table.
    package init(_ table: CommandTable) { self.table = table }

    /// What `coffer help` says.
    package var overview: String {
        var text = "coffer keeps credentials in one sealed file.\n\nusage: coffer COMMAND [options]\n\nCommands:\n"
        text += Self.columns(table.commands.map { ($0.name, $0.summary) })
        text += "\nOptions of every command:\n" + Self.columns(CommandOption.global.map(Self.row))
        text +=
            "\n" + Self.wrapped("`coffer help COMMAND` explains one command, `coffer help exit-codes` the statuses.")
        return text
    }

    /// What `coffer help VERB` says.
    package func text(for command: Command) -> String {
        var text = "coffer \(command.name): \(command.summary)\n\nusage: \(command.usage)\n"
        let operands = command.operands.map { ($0.name, $0.help) }
        if !operands.isEmpty { text += "\n" + Self.columns(operands) }
        for detail in command.details { text += "\n" + Self.wrapped(detail) }
        if !command.options.isEmpty { text += "\nOptions:\n" + Self.columns(command.options.map(Self.row)) }
        text += "\nOptions of every command:\n" + Self.columns(CommandOption.global.map(Self.row))
        if !command.examples.isEmpty {
            text += "\nExamples:\n"
            for example in command.examples { text += "  \(example.line)\n      \(example.effect)\n" }
        }
        return text
    }

    /// What `coffer help exit-codes` says.
    package static var exitCodes: String {
        let rows = ExitCode.allCases.map { code in
            let number = String(code.rawValue)
            let padded = String(repeating: " ", count: 3 - number.count) + number
            return (padded, "\(code.classes.joined(separator: ", ")): \(code.meaning)")
        }
        return columns(rows)
    }

    /// The same as JSON.
    package static var exitCodesAsJSON: String {
        JSONText.array(
            ExitCode.allCases.map { code in
                .object([
                    ("code", .integer(UInt64(code.rawValue))),
                    ("classes", .array(code.classes.map { .string($0) })),
                    ("meaning", .string(code.meaning)),
                ])
            }
        ).text
    }

    private static func row(_ option: CommandOption) -> (String, String) {
        let short = option.short.map { "-\($0), " } ?? ""
        let argument = option.argument.map { option.argumentIsOptional ? "[=\($0)]" : " \($0)" } ?? ""
        return (short + option.spelling + argument, option.help)
    }

    // Two columns; a long first one gets a line of its own.
    private static func columns(_ rows: [(String, String)]) -> String {
        let width = min(rows.map(\.0.count).max() ?? 0, 30)
        var text = ""
        for (left, right) in rows {
            let lines = wrappedLines(right, width: 96 - width)
            let gap = left.count <= width ? String(repeating: " ", count: width - left.count + 2) : nil
            text += "  \(left)" + (gap ?? "\n" + String(repeating: " ", count: width + 4))
            text += lines.joined(separator: "\n" + String(repeating: " ", count: width + 4)) + "\n"
        }
        return text
    }

    private static func wrapped(_ paragraph: String) -> String {
        wrappedLines(paragraph, width: 100).joined(separator: "\n") + "\n"
    }

    static func wrappedLines(_ paragraph: String, width: Int) -> [String] {
        var lines = [""]
        for word in paragraph.split(separator: " ") {
            let last = lines[lines.count - 1]
            if !last.isEmpty && last.count + 1 + word.count > width {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
            }
        }
        return lines
    }
}
