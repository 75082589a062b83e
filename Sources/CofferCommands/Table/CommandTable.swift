/// The verbs, in the order of the help, and what a command line asks for.
package struct CommandTable: Sendable {
    /// A verb by its name, made when somebody needs it: a run of the program needs one.
    typealias Entry = (name: String, command: @Sendable () -> Command)

    private let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    /// The names of the verbs.
    var names: [String] { entries.map(\.name) }

    /// The verbs.
    package var commands: [Command] { entries.map { $0.command() } }

    /// The verb of a name.
    package func command(_ name: String) -> Command? { entries.first { $0.name == name }?.command() }

    /// What a command line asks for.
    package enum Request: Sendable {
        case run(Command, Arguments)
        case help(Command?, Arguments)
        case version(Arguments)
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - count: the number of words.
    ///   - words: the words, as `main` got them.
    /// - Throws: a failure with the status for usage.
    package func parse(
        count: Int32, words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) throws(Failure) -> Request {
        var arguments = Arguments()
        let scanner = unsafe ArgumentScanner(count: count, words: words)
        let start = try scanner.scan(CommandOption.global + [.json], stopsAtOperand: true, into: &arguments)
        guard start < count else {
            if arguments.has(.help) { return .help(nil, arguments) }
            if arguments.has(.version) { return .version(arguments) }
            throw .usage("which command?", hint: "coffer help lists them")
        }
        var verb = Arguments()
        verb.operands = [try scanner.text(at: start)]
        guard let command = command(verb.operands[0]) else {
            // The word itself is not repeated: it may be a secret in the wrong place.
            let near = Suggestion.verb(verb.operands[0], among: names)
            throw .usage(
                "unknown command", hint: near.map { "did you mean coffer \($0)?" } ?? "coffer help lists the commands")
        }
        let jsonBeforeVerb = arguments.has(.json)
        let options = CommandOption.global + command.options
        _ = try scanner.dropping(start).scan(options, stopsAtOperand: false, into: &arguments)
        if arguments.has(.help) { return .help(command, arguments) }
        if arguments.has(.version) { return .version(arguments) }
        if jsonBeforeVerb && !command.options.contains(where: { "\($0.name)" == "\(CommandOption.json.name)" }) {
            throw .usage("coffer \(command.name) has no --json")
        }
        try command.checkOperands(arguments)
        return .run(command, arguments)
    }
}

extension Command {
    /// Checks how many operands there are; what they say is never repeated.
    func checkOperands(_ arguments: Arguments) throws(Failure) {
        let count = arguments.operands.count
        let least = operands.count { !$0.isOptional }
        if count < least {
            throw .usage("coffer \(name) needs \(operands[count].name)", hint: "usage: \(usage)")
        }
        if count > operands.count && !operands.contains(where: \.isRepeated) {
            throw .usage("too many arguments for coffer \(name)", hint: surplusHint?(arguments) ?? "usage: \(usage)")
        }
    }
}
