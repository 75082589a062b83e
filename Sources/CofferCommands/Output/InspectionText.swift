internal import Coffer
internal import VaultFile

/// What `inspect` says to a person, in lines of at most 80 characters; nothing of a file gets there but its numbers.
enum InspectionText {
    private static let width = 80
    /// Offset, width, name, and the spaces between them.
    private static let indent = 37
    /// How many bytes of a value go into one line.
    private static let bytesALine = 16
    /// How many bytes of one are shown at all.
    private static let bytesShown = 128

    /// The fields of a file, and whether it is whole as far as they tell.
    static func header(_ survey: borrowing VaultSurvey) -> String {
        var text = "\(Escaping.name(survey.path)): \(survey.size) bytes\n\n"
        text += row("offset", "width", "field", "value")
        for field in survey.header.fields { text += self.text(of: field) }
        text += "\n"
        for (index, slot) in survey.header.slots.enumerated() {
            guard let fingerprint = slot.ownerFingerprint else { continue }
            text += paragraph("slot \(index): its owner has the fingerprint \(HexText.text(of: fingerprint))")
        }
        if let size = InspectionFacts.sealedSize(survey.header) {
            text += paragraph("sealed: \(size) bytes, \(meaning(ofSealed: size))")
        }
        if survey.failure == nil {
            text += paragraph("file: whole, as far as can be seen without the passphrase")
        } else if InspectionFacts.isCutShort(survey) {
            text += paragraph("file: cut short: no vault has fewer than \(InspectionFacts.leastSize) bytes")
        }
        return text
    }

    /// What a passphrase shows beside that.
    static func contents(_ contents: ContentsSummary) -> String {
        let numbers = contents.numbers
        let rows: [(String, String)] = [
            ("vault id", HexText.text(of: contents.vaultID)),
            ("generation", "\(contents.generation)"),
            ("settings", "\(numbers.settingsCount) in \(numbers.settingsLength) bytes"),
            ("metadata", "\(numbers.metadataLength) bytes"),
            ("padding", "\(numbers.paddingLength) bytes"),
            ("ages", numbers.hasAges ? "known" : "unknown"),
            ("tombstones", "\(numbers.removedCount)"),
            ("undo values", "\(numbers.undoCount)"),
            ("recipients", "\(numbers.recipientCount)"),
        ]
        let lines = rows.map { name, value in "  " + padded(name, 13) + value + "\n" }
        return "\ncontents: the passphrase is right, and they are as they were saved\n" + lines.joined()
    }

    /// What the program ends with, as a class and an exit code; the sentence is the message's.
    ///
    /// - Parameters:
    ///   - error: why the file was refused without its passphrase.
    ///   - failure: why the command fails.
    static func verdict(_ error: VaultError?, _ failure: Failure?) -> String {
        let code = failure?.code ?? .success
        return "verdict: \(InspectionFacts.failureClass(error, failure)), exit code \(code.rawValue)\n"
    }

    private static func text(of field: HeaderField) -> String {
        var lines: [String] = []
        switch field.value {
        case .number(let number): lines = ["\(number)" + (meaning(of: field.name, number).map { "  \($0)" } ?? "")]
        case .bytes(let bytes): lines = hexLines(bytes)
        case .sealed(let mac): lines = hexLines(mac) + ["this is its MAC; ciphertext follows"]
        case .unread: lines = ["(not looked at)"]
        }
        if let fault = field.fault {
            let words = HelpText.wrappedLines(fault, width: width - indent - 2)
            lines += words.enumerated().map { ($0.offset == 0 ? "! " : "  ") + $0.element }
        }
        let first = row("\(field.offset)", "\(field.width)", field.name, lines.first ?? "")
        return first + lines.dropFirst().map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }

    private static func row(_ offset: String, _ width: String, _ name: String, _ value: String) -> String {
        leftPadded(offset, 8) + " " + leftPadded(width, 8) + "  " + padded(name, indent - 19) + value + "\n"
    }

    private static func hexLines(_ bytes: [UInt8]) -> [String] {
        let shown = bytes.prefix(bytesShown)
        var lines = stride(from: 0, to: shown.count, by: bytesALine).map {
            HexText.text(of: shown[$0..<min($0 + bytesALine, shown.count)])
        }
        if bytes.count > bytesShown { lines.append("… \(bytes.count - bytesShown) more; --json shows all") }
        return lines
    }

    private static func meaning(of name: String, _ number: UInt64) -> String? {
        switch (name, number) {
        case ("kdf", 1): "Argon2id"
        case ("cipher", 1): "XSalsa20-Poly1305"
        case ("ops", _): number == 1 ? "pass" : "passes"
        case ("mem", _): "KiB"
        case _ where name.hasSuffix(" type") && number == 1: "a recipient"
        case _ where name.hasSuffix(" type"): "not known here"
        default: nil
        }
    }

    private static func meaning(ofSealed size: Int) -> String {
        guard let range = InspectionFacts.contentsSize(sealed: size) else {
            return "to which nothing is padded: whoever opens it refuses it"
        }
        return "of which settings and metadata take \(range.lowerBound) to \(range.upperBound)"
    }

    private static func paragraph(_ text: String) -> String {
        HelpText.wrappedLines(text, width: width).joined(separator: "\n") + "\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func leftPadded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
