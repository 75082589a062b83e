internal import Coffer

/// `inspect`: what a file says to anybody.
enum InspectCommand {
    static let command = Command(
        "inspect", "show the header of a vault's file, without its passphrase",
        operands: [Operand("FILE", optional: true, "a vault or a backup copy; else the vault")], options: [.json],
        details: ["This is all that someone learns who has the file and not the passphrase."],
        examples: [.init("coffer inspect --json", "the same for programs")], run: run)

    private static func run(_ session: Session) throws {
        let path = try session.inspectedPath()
        let inspection = try session.inspection(of: path)
        let fields: [(String, JSONText)] = [
            ("path", .string(path)),
            ("version", .integer(UInt64(inspection.version))),
            ("passes", .integer(UInt64(inspection.cost.passes))),
            ("memoryKiB", .integer(UInt64(inspection.cost.memoryKiB))),
            ("slotTypes", .array(inspection.slotTypes.map { .integer(UInt64($0)) })),
            ("headerBytes", .integer(UInt64(inspection.headerLength))),
            ("sealedBytes", .integer(UInt64(inspection.plaintextLength))),
            ("fileBytes", .integer(UInt64(inspection.fileLength))),
            ("salt", .string(inspection.salt)),
            ("nonce", .string(inspection.nonce)),
            ("commitment", .string(inspection.commitment)),
            ("check", .string(inspection.check)),
        ]
        guard !session.arguments.has(.json) else { return try session.console.write(JSONText.object(fields).text) }
        let width = fields.map(\.0.count).max() ?? 0
        let lines = fields.map { name, value in
            name + String(repeating: " ", count: width - name.count + 2) + plain(value) + "\n"
        }
        try session.console.write(lines.joined())
    }

    private static func plain(_ value: JSONText) -> String {
        switch value {
        case .string(let text): Escaping.name(text)
        case .integer(let number): String(number)
        case .array(let elements): elements.isEmpty ? "none" : elements.map(plain).joined(separator: " ")
        case .boolean, .null, .object: ""
        }
    }
}
