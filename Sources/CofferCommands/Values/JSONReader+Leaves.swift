internal import PropertyLists
internal import SecureMemory

extension JSONReader {
    // MARK: Strings

    /// Reads a string into the scratch, without its escapes.
    @_lifetime(self: copy self)
    mutating func string() throws(JSONError) {
        try expect("\"")
        scratch.truncate(to: 0)
        while true {
            // Runs of plain bytes are copied at once.
            let start = offset
            while let byte = peek(), byte >= 0x20, byte < 0x80, byte != 0x22, byte != 0x5C { offset += 1 }
            if offset > start { try keep(text.extracting(start..<offset)) }
            switch peek() {
            case 0x22:
                offset += 1
                return
            case 0x5C:
                try keep(try escape())
            case let byte? where byte >= 0x80:
                guard let (_, length) = UTF8Text.scalar(in: text, at: offset) else {
                    throw JSONError(.notUTF8, at: offset)
                }
                try keep(text.extracting(offset..<offset + length))
                offset += length
            default:
                // The end, or a control character, which has to be escaped.
                throw JSONError(.syntax, at: offset)
            }
        }
    }

    /// Brings the string that was read last to NFC, as the format asks of keys: two spellings of one are then equal.
    @_lifetime(self: copy self)
    mutating func composeScratch() throws(JSONError) {
        guard (0..<scratch.count).contains(where: { scratch.bytes[$0] >= 0x80 }) else { return }
        do throws(SecureMemoryError) {
            let composed = try Normalization.nfc(scratch.bytes)
            scratch.truncate(to: 0)
            try scratch.append(composed.bytes)
        } catch {
            throw JSONError(.outOfMemory, at: offset)
        }
    }

    @_lifetime(self: copy self)
    private mutating func keep(_ bytes: RawSpan) throws(JSONError) {
        do throws(SecureMemoryError) { try scratch.append(bytes) } catch { throw JSONError(.outOfMemory, at: offset) }
    }

    @_lifetime(self: copy self)
    private mutating func keep(_ scalar: Unicode.Scalar) throws(JSONError) {
        do throws(SecureMemoryError) {
            try UTF8Text.append(scalar, to: &scratch)
        } catch {
            throw JSONError(.outOfMemory, at: offset)
        }
    }

    @_lifetime(self: copy self)
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard let byte = peek() else { throw JSONError(.syntax, at: offset) }
        offset += 1
        switch Unicode.Scalar(byte) {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let unit = try hexUnit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            // A high surrogate is worth something only with a low one behind it.
            guard unit < 0xDC00, take("\\"), take("u") else { throw JSONError(.syntax, at: start) }
            let low = try hexUnit()
            guard (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF)))
            else { throw JSONError(.syntax, at: start) }
            return scalar
        default: throw JSONError(.syntax, at: start)
        }
    }

    @_lifetime(self: copy self)
    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek() else { throw JSONError(.syntax, at: offset) }
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: unit = unit << 4 | UInt32(byte - 0x41 + 10)
            case 0x61...0x66: unit = unit << 4 | UInt32(byte - 0x61 + 10)
            default: throw JSONError(.syntax, at: offset)
            }
            offset += 1
        }
        return unit
    }

    // MARK: Numbers

    /// Reads a number: an integer, or a real if it has a fraction or an exponent.
    @_lifetime(self: copy self)
    mutating func number() throws(JSONError) {
        let start = offset
        let isReal = try skipNumber()
        if isReal {
            let real = try real(from: start)
            return try build { (builder, _) throws(PropertyListError) in try builder.real(real) }
        }
        guard let integer = NumberText.integer(text.extracting(start..<offset)) else {
            throw JSONError(.integerTooLarge, at: start)
        }
        try build { (builder, _) throws(PropertyListError) in try builder.integer(integer) }
    }

    /// The real that was gone over.
    func real(from start: Int) throws(JSONError) -> Double {
        do throws(SecureMemoryError) {
            if let real = try NumberText.real(text.extracting(start..<offset)) { return real }
        } catch {
            throw JSONError(.outOfMemory, at: start)
        }
        throw JSONError(.realTooLarge, at: start)
    }

    /// Goes over a number and says whether it has a fraction or an exponent.
    @_lifetime(self: copy self)
    mutating func skipNumber() throws(JSONError) -> Bool {
        _ = take("-")
        if !take("0") { try skipDigits() }
        var isReal = false
        if take(".") {
            isReal = true
            try skipDigits()
        }
        if take("e") || take("E") {
            isReal = true
            if !take("+") { _ = take("-") }
            try skipDigits()
        }
        return isReal
    }

    @_lifetime(self: copy self)
    private mutating func skipDigits() throws(JSONError) {
        let start = offset
        while let byte = peek(), (0x30...0x39).contains(byte) { offset += 1 }
        guard offset > start else { throw JSONError(.syntax, at: offset) }
    }
}
