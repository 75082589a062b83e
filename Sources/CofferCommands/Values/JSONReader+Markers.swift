internal import PropertyLists
internal import SecureMemory

/// Objects of one key that stand for the types that JSON lacks.
extension JSONReader {
    /// Whether the key that was read last has a dollar sign at a place.
    func startsWithDollar(at place: Int) -> Bool {
        scratch.count > place && scratch.bytes[place] == UInt8(ascii: "$")
    }

    /// Whether the member whose value starts here is the last of its object.
    func isLoneMember() -> Bool {
        var place = offset
        var depth = 0
        var isInString = false
        while place < text.byteCount {
            let byte = text[place]
            if isInString {
                if byte == 0x5C { place += 1 }
                if byte == 0x22 { isInString = false }
            } else {
                switch byte {
                case 0x22: isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return true }
                    depth -= 1
                case UInt8(ascii: ",") where depth == 0: return false
                default: break
                }
            }
            place += 1
        }
        return false
    }

    private func keyIs(_ word: StaticString) -> Bool { scratch.bytes.isWord(word) }

    /// Reads the value of an object of one key that stands for a type, and the end of the object.
    @_lifetime(self: copy self)
    mutating func typed(from start: Int) throws(JSONError) {
        if keyIs("$data") {
            try markerString(from: start)
            var bytes = try Self.emptyArena()
            let isBase64: Bool
            do throws(SecureMemoryError) {
                isBase64 = try Base64Text.decode(scratch.bytes, to: &bytes)
            } catch {
                throw JSONError(.outOfMemory, at: start)
            }
            guard isBase64 else { throw JSONError(.badMarkerValue, at: start) }
            try build { (builder, _) throws(PropertyListError) in try builder.data(bytes.bytes) }
        } else if keyIs("$date") {
            let seconds = try date(from: start)
            try build { (builder, _) throws(PropertyListError) in try builder.date(seconds) }
        } else if keyIs("$real") {
            try markerString(from: start)
            var real: Double?
            do throws(SecureMemoryError) {
                real = try NumberText.real(scratch.bytes)
            } catch {
                throw JSONError(.outOfMemory, at: start)
            }
            guard let real else { throw JSONError(.badMarkerValue, at: start) }
            try build { (builder, _) throws(PropertyListError) in try builder.real(real) }
        } else {
            throw JSONError(.badMarker, at: start)
        }
        skipSpace()
        try expect("}")
    }

    // Any JSON may stand here; only a string means something.
    @_lifetime(self: copy self)
    private mutating func markerString(from start: Int) throws(JSONError) {
        if let byte = peek(), byte != 0x22 { throw JSONError(.badMarkerValue, at: start) }
        try string()
    }

    @_lifetime(self: copy self)
    private mutating func date(from start: Int) throws(JSONError) -> Double {
        if let byte = peek(), byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
            let numberStart = offset
            _ = try skipNumber()
            return try real(from: numberStart)
        }
        try markerString(from: start)
        guard let seconds = DateText.seconds(of: scratch.bytes) else {
            throw JSONError(.badMarkerValue, at: start)
        }
        return seconds
    }
}

extension RawSpan {
    /// Whether these are the bytes of a word of ours.
    func isWord(_ word: StaticString) -> Bool {
        equals(unsafe RawSpan(_unsafeStart: word.utf8Start, byteCount: word.utf8CodeUnitCount))
    }
}
