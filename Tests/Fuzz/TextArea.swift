import CofferCommands
import SecureMemory
import VaultFile

/// What people type: numbers, dates, Base64, recovery codes, and any text.
enum TextArea {
    static func run(_ input: RawSpan) {
        do {
            try unicode(input)
            try numbers(input)
            try base64(input)
            try recoveryCode(input)
        } catch {
            promise(false, "a short text needs little memory: \(error)")
        }
        dates(input)
    }

    private static func unicode(_ input: RawSpan) throws(SecureMemoryError) {
        let isValid = UTF8Text.isValid(input)
        promise(isValid == (String(validating: input.array, as: UTF8.self) != nil), "UTF-8 is what Swift says it is")
        let once = try Normalization.nfc(input)
        let twice = try Normalization.nfc(once.bytes)
        promise(twice.bytes.equals(once.bytes), "NFC of NFC changes nothing")
        promise(isValid || once.bytes.equals(input), "what is not UTF-8 stays as it is")
        promise(UTF8Text.isValid(once.bytes) == isValid, "NFC of UTF-8 is UTF-8")
        promise(UTF8Text.countWithoutNewline(input) + 2 >= input.byteCount, "a newline has two bytes at most")
        let display = Escaping.display(of: input)
        guard isValid, display != .binary else { return }
        var shown = try GuardedArena()
        try Escaping.append(input, to: &shown)
        promise(Escaping.display(of: shown.bytes) == .plain, "escaped text steers no terminal")
        promise(display == .needsEscapes || shown.bytes.equals(input), "plain text needs no escapes")
    }

    private static func numbers(_ input: RawSpan) throws(SecureMemoryError) {
        if let integer = NumberText.integer(input) {
            promise(integer == Int64(String(decoding: input.array, as: UTF8.self)), "an integer is what Swift reads")
            var text = try GuardedArena()
            try NumberText.append(integer, to: &text)
            promise(NumberText.integer(text.bytes) == integer, "an integer survives its text")
        }
        if let real = try NumberText.real(input) {
            let text = Array(NumberText.text(of: real).utf8)
            let again = try NumberText.real(text.rawSpan)
            promise(real.isNaN || again?.bitPattern == real.bitPattern, "a real survives its text")
        }
    }

    private static func base64(_ input: RawSpan) throws(SecureMemoryError) {
        var bytes = try GuardedArena()
        guard try Base64Text.decode(input, to: &bytes) else { return }
        var text = try GuardedArena()
        try Base64Text.append(bytes.bytes, to: &text)
        promise(text.bytes.equals(input), "bytes have one text in Base64")
    }

    private static func dates(_ input: RawSpan) {
        if let seconds = DateText.seconds(of: input) { date(seconds) }
        guard input.byteCount >= 8 else { return }
        let bits = input.littleEndian(0, as: UInt64.self)
        date(Double(bitPattern: bits))
        date(Double(Int64(bitPattern: bits) >> 20) / 64)
    }

    /// Writes a date and reads it again, also with a zero more at its end.
    private static func date(_ seconds: Double) {
        guard let text = DateText.text(of: seconds) else { return }
        promise(DateText.seconds(of: Array(text.utf8).rawSpan) == seconds, "a date survives its text: \(text)")
        guard text.contains(".") else { return }
        promise(
            DateText.seconds(of: Array("\(text.dropLast())0Z".utf8).rawSpan) == seconds,
            "a zero behind a fraction says nothing: \(text)")
    }

    private static func recoveryCode(_ input: RawSpan) throws(VaultFileError) {
        _ = try code(input)
        // The same bytes as a code with the right checksum.
        var payload = Array(input.array.prefix(32))
        payload += [UInt8](repeating: 0, count: 32 - payload.count)
        let checksum = try BLAKE2b.digest("coffer1-code", of: payload.rawSpan, digestLength: 16)
        let text = typed(payload + checksum.prefix(3), separators: input)
        guard let read = try code(text.rawSpan) else { return promise(false, "a code with its checksum is read") }
        promise(read == payload, "a code is read as it was made")
    }

    /// The 32 bytes of a code, or nil when it is refused.
    private static func code(_ text: RawSpan) throws(VaultFileError) -> [UInt8]? {
        do throws(VaultFileError) {
            let code = try RecoveryCode(text)
            return code.seed.bytes.array + code.ownerFingerprint
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    /// A code as a careless person types it; what follows the first 32 bytes of the input says how.
    private static func typed(_ bytes: [UInt8], separators: RawSpan) -> [UInt8] {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        var text = Array("COFFER1".utf8)
        for digit in 0..<56 {
            let value = (0..<5).reduce(0) {
                $0 << 1 | Int(bytes[(digit * 5 + $1) / 8] >> (7 - (digit * 5 + $1) % 8) & 1)
            }
            let style = 32 + digit < separators.byteCount ? separators[32 + digit] : 0
            if style & 1 == 1 { text.append(UInt8(ascii: "-")) }
            if style & 2 == 2 { text.append(0x09 + style >> 2 & 3) }
            let character = alphabet[value]
            text.append(style & 16 == 16 && character >= 0x41 ? character | 0x20 : character)
        }
        return text
    }
}
