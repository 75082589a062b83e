internal import Coffer
internal import PropertyLists

/// `list`: names and types, never values.
enum ListCommand {
    static let command = Command(
        "list", "list the names and types of the settings",
        operands: [Operand("PREFIX", optional: true, "only names that begin with it")], options: [.json],
        details: [
            "One setting a line, sorted by name: the name, a tab and the type (columns on a terminal). Values are never "
                + "shown. Characters that would steer a terminal are shown as \\u{...} there."
        ],
        examples: [.init("coffer list github/", "what is grouped under github")], run: run)

    private static func run(_ session: Session) throws {
        // As it is spelled, since others may write names in another form, and composed, as this program writes them.
        let prefixes = try session.operands.first.map { [$0, try SettingNames.composed($0)] } ?? [""]
        let vault = try session.unlockedVault()
        defer { vault.lock() }
        let names = try vault.names()
        let kinds = try vault.withSettings { (reader) throws(VaultError) in
            (0..<reader.count(of: 0)).map { reader.kind(of: reader.value($0)) }
        }
        let settings = zip(names, kinds).filter { name, _ in
            prefixes.contains { name.utf8.starts(with: $0.utf8) }
        }
        guard !session.arguments.has(.json) else {
            let rows = settings.map {
                JSONText.object([("name", .string($0.0)), ("type", .string("\($0.1)"))])
            }
            return try session.console.write(JSONText.array(rows).text)
        }
        guard session.console.outputIsTerminal else {
            return try session.console.write(settings.map { "\($0.0)\t\($0.1)\n" }.joined())
        }
        let rows = settings.map { (Escaping.name($0.0), "\($0.1)") }
        let width = min(rows.map(\.0.count).max() ?? 0, 48)
        try session.console.write(
            rows.map { name, type in
                name + String(repeating: " ", count: max(0, width - name.count) + 2) + type + "\n"
            }.joined())
    }
}
