internal import SecureMemory

/// Watches the depth of JSON while it comes in, so that what is nested too deep is refused before the rest is read.
///
/// It looks at brackets outside strings alone: whether the text is JSON at all is for the reader to say. So is whether
/// an object that is one too deep stands for a date, say, which is no container; nothing deeper can stand in that.
package struct JSONDepth {
    private let maximum: Int
    private var depth = 0
    private var offset = 0
    private var isInString = false
    private var isEscaped = false

    /// Starts before the first byte.
    ///
    /// - Parameter maximum: the deepest container, the outermost being at depth 1.
    package init(maximum: Int) { self.maximum = maximum }

    /// Looks at the next bytes.
    ///
    /// - Throws: `tooDeep`, at the bracket that is one too many.
    package mutating func check(_ bytes: RawSpan) throws(JSONError) {
        for place in 0..<bytes.byteCount {
            let byte = bytes[place]
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == 0x5C { isEscaped = true }
                if byte == 0x22 { isInString = false }
            } else {
                switch byte {
                case 0x22: isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    guard depth <= (byte == UInt8(ascii: "{") ? maximum + 1 : maximum) else {
                        throw JSONError(.tooDeep, at: offset + place)
                    }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
        }
        offset += bytes.byteCount
    }
}
