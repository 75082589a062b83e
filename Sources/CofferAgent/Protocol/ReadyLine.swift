/// What an agent tells whoever started it, in one line: that it listens, or why it does not.
///
/// Nothing secret is in its memory then. The fields of a line have tabs between them.
enum ReadyLine: Equatable, Sendable {
    /// It listens.
    case ready
    /// It ends, because another agent lives there.
    case running
    /// It ends, because something is not as it should be.
    case refused(path: String, reason: String)
    /// It ends, because a step failed, for the system's reason.
    case failed(step: String, errno: Int32)

    /// The most bytes of a line, with its end.
    static let maximumLength = 1_024

    /// The line with its end; without a reason that no line can carry.
    var bytes: [UInt8] {
        switch self {
        case .ready: Self.line(["ready"])
        case .running: Self.line(["running"])
        case .refused(let path, let reason): Self.line(["refused", path, reason])
        case .failed(let step, let errno): Self.line(["failed", step, "\(errno)"])
        }
    }

    private static func line(_ fields: [String]) -> [UInt8] {
        // What steers a terminal would also end a field or the line.
        let texts = fields.map { String($0.unicodeScalars.map { isControl($0) ? "?" : Character($0) }) }
        let bytes = Array("\(texts.joined(separator: "\t"))\n".utf8)
        return bytes.count <= maximumLength ? bytes : []
    }

    /// Takes a line without its end, or nothing for what is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count < Self.maximumLength, let line = String(validating: bytes, as: UTF8.self) else { return nil }
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard !fields.contains(where: { $0.unicodeScalars.contains(where: Self.isControl) }) else { return nil }
        switch (fields[0], fields.count) {
        case ("ready", 1): self = .ready
        case ("running", 1): self = .running
        case ("refused", 3): self = .refused(path: fields[1], reason: fields[2])
        case ("failed", 3):
            guard let number = Int32(fields[2]) else { return nil }
            self = .failed(step: fields[1], errno: number)
        default: return nil
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
