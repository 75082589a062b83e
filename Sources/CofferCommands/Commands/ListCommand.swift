internal import Coffer

/// `list`: names, types and ages, never values.
enum ListCommand {
    static let command = Command(
        "list", "list the names, types and ages of the settings",
        operands: [Operand("PREFIX", optional: true, "only names that begin with it")], options: [.olderThan, .json],
        details: [
            "One setting a line, sorted by name: on a terminal in columns the name, the type, and how long ago the value "
                + "last changed. Elsewhere the name, a tab and the type, and with --older-than a tab and the age too; --json "
                + "always has the time of the change. Values are never shown. Characters that would steer a terminal are "
                + "shown as \\u{...} there.",
            "The age is unknown, null in JSON, where a program changed the settings that keeps no ages, this one's older "
                + "versions included. --older-than lists such settings too, and says how many they are: they may be older.",
            "An age is \(DurationText.form). A week has 7 days, a year 365.",
        ],
        examples: [
            .init("coffer list github/", "what is grouped under github"),
            .init("coffer list --older-than 90d", "what is due for a new value"),
        ], run: run)

    private static func run(_ session: Session) throws {
        // As it is spelled, since others may write names in another form, and composed, as this program writes them.
        let prefixes = try session.operands.first.map { [$0, try SettingNames.composed($0)] } ?? [""]
        let least = try leastAge(session.arguments)
        let found = try session.withAccess { access in try access.entries() }.filter { row in
            prefixes.contains { row.name.utf8.starts(with: $0.utf8) }
        }
        // What is of unknown age may be older than anything.
        let rows = found.filter { row in least.map { least in row.age.map { $0 > least } ?? true } ?? true }
        try write(rows, session, withAges: least != nil)
        let unknown = rows.count { $0.age == nil }
        if least != nil, unknown > 0 {
            session.console.note(
                unknown == 1 ? "the age of one of them is not known" : "the age of \(unknown) of them is not known")
        }
    }

    private static func leastAge(_ arguments: Arguments) throws(Failure) -> Int64? {
        guard let text = arguments.value(of: .olderThan) else { return nil }
        guard let duration = DurationText.duration(of: text) else {
            throw .usage("--older-than is \(DurationText.form)")
        }
        return duration.components.seconds * 1_000
    }

    private static func write(_ rows: [SettingEntry], _ session: Session, withAges: Bool) throws(Failure) {
        let console = session.console
        guard !session.arguments.has(.json) else {
            let objects = rows.map { row in
                JSONText.object([
                    ("name", .string(row.name)), ("type", .string(row.type)), ("modified", row.modifiedText),
                ])
            }
            return try console.write(JSONText.array(objects).text)
        }
        guard console.outputIsTerminal else {
            let lines = rows.map { "\($0.name)\t\($0.type)" + (withAges ? "\t\($0.ageText)" : "") + "\n" }
            return try console.write(lines.joined())
        }
        let names = rows.map { Escaping.name($0.name) }
        let width = min(names.map(\.count).max() ?? 0, 48)
        let typeWidth = rows.map(\.type.count).max() ?? 0
        let lines = zip(names, rows).map { name, row in
            padded(name, width + 2) + padded(row.type, typeWidth + 2) + row.ageText + "\n"
        }
        try console.write(lines.joined())
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension CommandOption {
    static let olderThan = CommandOption(
        "older-than", "AGE", "only what last changed longer ago, or at an unknown time")
}

extension SettingEntry {
    fileprivate var type: String { "\(kind)" }

    fileprivate var ageText: String { age.map { DurationText.age(milliseconds: $0) } ?? "unknown" }

    fileprivate var modifiedText: JSONText {
        guard let modified, let date = SettingDate(secondsSince1970: Double(modified / 1_000)) else { return .null }
        return DateText.text(of: date.secondsSince2001).map { .string($0) } ?? .null
    }
}
