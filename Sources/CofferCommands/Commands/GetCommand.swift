internal import Coffer
internal import PropertyLists
internal import SecureMemory

/// `get`: values to standard output, and nothing else.
enum GetCommand {
    static let command = Command(
        "get", "write the value of a setting to standard output",
        operands: [Operand("NAME", repeated: true, "the setting; several only with --json or -0")],
        options: [.json, .zero, .noNewline, .newline, .raw],
        details: [
            "The value comes as it is, followed by a newline only if standard output is a terminal. Numbers, booleans "
                + "and dates are written as text, arrays and dictionaries as JSON. The exit code is 0 only if all was written.",
            "On a terminal, characters that would steer it are shown as \\u{...}, and binary values are refused.",
        ],
        examples: [
            .init("coffer get github/token", "shows it"),
            .init("curl -H @<(coffer get header) https://api.example.com", "hands it over without showing it"),
            .init("coffer get user password --json", "both, with their types"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let names = session.operands
        let asJSON = session.arguments.has(.json)
        let withZeros = session.arguments.has(.zero)
        guard names.count == 1 || asJSON || withZeros else {
            throw Failure.usage("several settings at once need --json or -0")
        }
        guard !(asJSON && withZeros) else { throw Failure.usage("--json and -0 exclude each other") }
        let terminator = try terminator(session)
        let path = try session.vaultPath()
        let output = ValueOutput(console: session.console, terminator: terminator, isRaw: session.arguments.has(.raw))
        try session.withAccess { access in
            // All from one save: a user name and its password belong together.
            try access.withValues(of: names) { found, lend in
                for (name, object) in zip(names, found) where object == nil {
                    throw Failure.notFound(name, vault: path)
                }
                if asJSON { return try writeJSON(names, found, lend, to: session.console) }
                // All or nothing: what cannot be written must not be found out behind the first of them.
                if names.count > 1 {
                    for position in names.indices {
                        try lend(position) { (reader, object) throws(Failure) in try output.check(object, of: reader) }
                    }
                }
                for position in names.indices {
                    try lend(position) { (reader, object) throws(Failure) in try output.write(object, of: reader) }
                }
            }
        }
    }

    private static func terminator(_ session: Session) throws(Failure) -> ValueOutput.Terminator {
        let arguments = session.arguments
        if arguments.has(.zero) { return .zero }
        if arguments.has(.noNewline) { return .nothing }
        switch arguments.value(of: .newline) ?? "auto" {
        case "auto": return session.console.outputIsTerminal ? .newline : .nothing
        case "yes": return .newline
        case "no": return .nothing
        default: throw .usage("--newline is auto, yes or no")
        }
    }

    // All of it is put together first: half an object is no output.
    private static func writeJSON(
        _ names: [String], _ found: [Int?], _ lend: ValueLender, to console: Console
    ) throws {
        var arena = try GuardedArena()
        try arena.append(literal: "{")
        // Each setting under the first name that it was asked for by: an object has no key twice.
        var seen: Set<Int?> = []
        let positions = names.indices.filter { seen.insert(found[$0]).inserted }
        for position in positions {
            if position != positions.first { try arena.append(literal: ",") }
            try JSONWriter.indent(1, to: &arena)
            let utf8 = Array(names[position].utf8)
            // As in every object: an only key that begins with $ would be taken for a type.
            try JSONWriter.append(utf8: unsafe utf8.span.bytes, doublesDollar: positions.count == 1, to: &arena)
            try arena.append(literal: ": ")
            try lend(position) { (reader, object) throws(Failure) in
                do throws(SecureMemoryError) {
                    try JSONWriter.append(object, of: reader, indent: 1, to: &arena)
                } catch {
                    throw .outOfMemory
                }
            }
        }
        try arena.append(literal: "\n}\n")
        try console.write(arena.bytes)
    }
}

extension CommandOption {
    static let zero = CommandOption("null", short: "0", nil, "end each value with a zero byte, for xargs -0")
    static let noNewline = CommandOption("no-newline", short: "n", nil, "never end with a newline")
    static let newline = CommandOption("newline", "WHEN", "end with a newline: auto (on a terminal), yes or no")
    static let raw = CommandOption("raw", nil, "write bytes to a terminal as they are")
}
