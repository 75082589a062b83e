internal import Coffer
internal import VaultFile

/// What both forms of `inspect` say, from the fields of a file.
enum InspectionFacts {
    /// A field that is a number and all there.
    static func number(_ name: String, _ header: HeaderSurvey) -> UInt64? {
        guard case .number(let number)? = header.fields.first(where: { $0.name == name })?.value else { return nil }
        return number
    }

    /// A field of bytes that are no secret, all there.
    static func bytes(_ name: String, _ header: HeaderSurvey) -> [UInt8]? {
        guard case .bytes(let bytes)? = header.fields.first(where: { $0.name == name })?.value else { return nil }
        return bytes
    }

    /// The length of what is sealed, as the header has it.
    static func sealedSize(_ header: HeaderSurvey) -> Int? {
        guard let length = number("box_len", header), length >= UInt64(VaultHeader.boxOverhead) else { return nil }
        return Int(length) - VaultHeader.boxOverhead
    }

    /// How many bytes settings and metadata may take in what is sealed; nil for a length that nothing is padded to.
    static func contentsSize(sealed: Int) -> ClosedRange<Int>? {
        guard sealed > 0, let lengths = Padding.lengths(paddedTo: sealed) else { return nil }
        let inner = VaultPlaintext.headerLength
        return max(0, lengths.lowerBound - inner)...lengths.upperBound - inner
    }

    /// How many bytes the smallest vault has that this program knows.
    static let leastSize =
        VaultHeader.fixedLength + VaultHeader.commitmentLength + VaultHeader.boxOverhead + Limits.plaintext.lowerBound
        + VaultHeader.checkLength

    /// Whether a damaged file is shorter than any vault; of a version that is not known that cannot be told.
    static func isCutShort(_ survey: borrowing VaultSurvey) -> Bool {
        guard case .damaged = survey.failure else { return false }
        let version = number("version", survey.header)
        return survey.size < VaultHeader.shortestFile || version == 1 && survey.size < leastSize
    }

    /// The failure class as the format calls it.
    static func failureClass(_ error: VaultError?, _ failure: Failure?) -> String {
        switch error {
        case .unsupportedVersion: return "unsupportedVersion"
        case .unsupportedFeature: return "unsupportedFeature"
        default:
            let code = failure?.code ?? .success
            return code.classes.first ?? "unexpected"
        }
    }
}

/// Bytes that are no secret, in hexadecimal.
enum HexText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
