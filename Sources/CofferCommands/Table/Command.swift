/// One option: how it is spelled, what it takes and what it does.
package struct CommandOption: Sendable {
    /// The long name, without the hyphens.
    let name: StaticString
    /// The one-letter form, if there is one.
    package let short: Unicode.Scalar?
    /// What the argument is called in the help; none if it takes no argument.
    package let argument: String?
    /// Whether the argument may be left out; if given, it stands in the same word: `--name=argument`.
    package let argumentIsOptional: Bool
    /// One line.
    let help: String

    init(
        _ name: StaticString, short: Unicode.Scalar? = nil, _ argument: String? = nil, optional: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.short = short
        self.argument = argument
        argumentIsOptional = optional
        self.help = help
    }

    /// The long name with its hyphens.
    package var spelling: String { "--\(name)" }
}

/// One word or series of words that is not an option.
package struct Operand: Sendable {
    /// What it is called in the help.
    let name: String
    /// Whether it may be left out.
    let isOptional: Bool
    /// Whether there may be several.
    let isRepeated: Bool
    /// One line.
    let help: String

    init(_ name: String, optional: Bool = false, repeated: Bool = false, _ help: String) {
        self.name = name
        self.isOptional = optional
        self.isRepeated = repeated
        self.help = help
    }

    var usage: String {
        let name = isRepeated ? "\(name)..." : name
        return isOptional ? "[\(name)]" : name
    }
}

/// One verb: everything that parsing, help, completions and the manual need to know of it.
package struct Command: Sendable {
    /// A command line and what it does.
    package struct Example: Sendable {
        let line: String
        let effect: String

        init(_ line: String, _ effect: String) {
            self.line = line
            self.effect = effect
        }
    }

    /// The verb.
    package let name: String
    /// One line, without a full stop.
    package let summary: String
    let operands: [Operand]
    package let options: [CommandOption]
    /// What the help says beside the options, paragraph by paragraph.
    let details: [String]
    let examples: [Example]
    /// What to say to someone who gave more operands than there are, by the options.
    let surplusHint: (@Sendable (Arguments) -> String)?
    let run: @Sendable (Session) throws -> Void

    init(
        _ name: String, _ summary: String, operands: [Operand] = [], options: [CommandOption] = [],
        details: [String] = [], examples: [Example] = [], surplusHint: (@Sendable (Arguments) -> String)? = nil,
        run: @escaping @Sendable (Session) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.details = details
        self.examples = examples
        self.surplusHint = surplusHint
        self.run = run
    }

    /// The first line of the help.
    package var usage: String {
        (["coffer", name, "[options]"] + operands.map(\.usage)).joined(separator: " ")
    }
}
