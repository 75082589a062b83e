internal import Coffer
internal import VaultFile

/// What `inspect` says to programs. The keys are stable, and all of them are always there.
enum InspectionJSON {
    /// - Parameters:
    ///   - survey: the file.
    ///   - contents: what its passphrase showed.
    ///   - failure: why the file was refused, or could not be opened.
    static func text(_ survey: borrowing VaultSurvey, _ contents: ContentsSummary?, _ failure: Failure?) -> String {
        let header = survey.header
        let sealed = InspectionFacts.sealedSize(header)
        let verdict: [(String, JSONText)] = [
            ("class", .string(InspectionFacts.failureClass(survey.failure, failure))),
            ("exitCode", .integer(UInt64(failure?.code.rawValue ?? 0))),
            ("message", failure.map { .string($0.message) } ?? .null),
        ]
        return JSONText.object([
            ("path", .string(survey.path)),
            ("version", number("version", header)),
            ("passes", number("ops", header)),
            ("memoryKiB", number("mem", header)),
            ("slotTypes", .array(header.slots.map { .integer(UInt64($0.type)) })),
            ("headerBytes", number("header_len", header)),
            ("sealedBytes", sealed.map { integer($0) } ?? .null),
            ("fileBytes", integer(survey.size)),
            ("salt", bytes("salt", 16, header)),
            ("nonce", bytes("nonce", 24, header)),
            ("commitment", bytes("commitment", 32, header)),
            ("check", bytes("check", 32, header)),
            ("contentsBytes", sealed.flatMap { InspectionFacts.contentsSize(sealed: $0) }.map(range) ?? .null),
            ("fields", .array(header.fields.map(field))),
            ("slots", .array(header.slots.map(slot))),
            ("contents", contents.map(self.contents) ?? .null),
            ("verdict", .object(verdict)),
        ]).text
    }

    private static func field(_ field: HeaderField) -> JSONText {
        let value: JSONText =
            switch field.value {
            case .number(let number): .integer(number)
            case .bytes(let bytes), .sealed(let bytes): .string(HexText.text(of: bytes))
            case .unread: .null
            }
        return .object([
            ("name", .string(field.name)), ("offset", integer(field.offset)), ("width", integer(field.width)),
            ("value", value), ("fault", field.fault.map { .string($0) } ?? .null),
        ])
    }

    private static func slot(_ slot: SlotSummary) -> JSONText {
        .object([
            ("offset", integer(slot.offset)), ("type", .integer(UInt64(slot.type))), ("length", integer(slot.length)),
            ("ownerFingerprint", slot.ownerFingerprint.map { .string(HexText.text(of: $0)) } ?? .null),
        ])
    }

    private static func contents(_ contents: ContentsSummary) -> JSONText {
        let numbers = contents.numbers
        return .object([
            ("vaultID", .string(HexText.text(of: contents.vaultID))), ("generation", .integer(contents.generation)),
            ("settings", integer(numbers.settingsCount)), ("settingsBytes", integer(numbers.settingsLength)),
            ("metadataBytes", integer(numbers.metadataLength)), ("paddingBytes", integer(numbers.paddingLength)),
            ("agesKnown", .boolean(numbers.hasAges)), ("tombstones", integer(numbers.removedCount)),
            ("undoValues", integer(numbers.undoCount)), ("recipients", integer(numbers.recipientCount)),
        ])
    }

    private static func range(_ range: ClosedRange<Int>) -> JSONText {
        .object([("least", integer(range.lowerBound)), ("most", integer(range.upperBound))])
    }

    private static func integer(_ number: Int) -> JSONText { .integer(UInt64(max(0, number))) }

    private static func number(_ name: String, _ header: HeaderSurvey) -> JSONText {
        InspectionFacts.number(name, header).map { .integer($0) } ?? .null
    }

    private static func bytes(_ name: String, _ width: Int, _ header: HeaderSurvey) -> JSONText {
        guard let field = header.fields.first(where: { $0.name == name && $0.width == width }),
            case .bytes(let bytes) = field.value
        else { return .null }
        return .string(HexText.text(of: bytes))
    }
}
