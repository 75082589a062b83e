/// JSON of what is no secret: names, numbers, header fields.
package indirect enum JSONText {
    case string(String)
    case integer(UInt64)
    case boolean(Bool)
    case null
    case array([JSONText])
    /// Members in the order given.
    case object([(String, JSONText)])

    /// The text, on several lines, with a line feed at the end.
    package var text: String { rendered(indent: 0) + "\n" }

    private func rendered(indent: Int) -> String {
        let inner = String(repeating: "  ", count: indent + 1)
        let outer = String(repeating: "  ", count: indent)
        switch self {
        case .string(let value): return Self.quoted(value)
        case .integer(let value): return String(value)
        case .boolean(let value): return value ? "true" : "false"
        case .null: return "null"
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            let lines = elements.map { inner + $0.rendered(indent: indent + 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { "\(inner)\(Self.quoted($0.0)): \($0.1.rendered(indent: indent + 1))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        }
    }

    /// A JSON string; harmful characters are escaped, so that it is safe on a terminal too.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where Escaping.isHarmful(scalar):
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16, uppercase: true)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
