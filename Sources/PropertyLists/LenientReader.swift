package import SecureMemory

/// Reads the binary property lists of other programs.
package enum LenientReader {
    /// The deepest container that is read. What a vault stores is bounded more tightly when it is stored.
    package static let maximumDepth = 512

    /// Turns any binary property list into the canonical list of its value.
    ///
    /// Objects may stand in any order and have wide numbers, gaps between them and several references each; what is
    /// shared is written out.
    ///
    /// - Parameter foreign: any bytes.
    /// - Returns: the canonical list, whose root may be of any kind.
    /// - Throws: `notAPropertyList`; `truncated` without room for a trailer; `malformed` for impossible sizes, places
    ///   and texts, for keys that are no strings and containers that hold themselves; `unsupportedType`;
    ///   `tooDeep`; `duplicateKey`, whatever the spelling of the keys; `tooLarge`; `outOfMemory`.
    package static func canonicalize(_ foreign: RawSpan) throws(PropertyListError) -> GuardedBuffer {
        let foreign = try ForeignList(foreign)
        try ExpansionBound.check(foreign, maximumDepth: maximumDepth)
        var builder = try PropertyListBuilder()
        try builder.expand(foreign)
        return try builder.finish(maximumDepth: maximumDepth)
    }
}

extension PropertyListBuilder {
    /// A container that is being written out.
    private struct Frame {
        let isDictionary: Bool
        let count: Int
        let references: Int
        var next = 0
    }

    /// Adds everything that a list holds; its size has been bounded.
    fileprivate mutating func expand(_ foreign: ForeignList) throws(PropertyListError) {
        var path: [Frame] = []
        var current = foreign.root
        while true {
            if let frame = try add(current, of: foreign) { path.append(frame) }
            while let top = path.last, top.next == top.count {
                if top.isDictionary { try endDictionary() } else { try endArray() }
                path.removeLast()
            }
            guard let top = path.last else { return }
            path[path.count - 1].next += 1
            let width = foreign.referenceWidth
            var reference = top.references + top.next * width
            if top.isDictionary {
                try addKey(try foreign.reference(at: reference), of: foreign)
                reference += top.count * width
            }
            current = try foreign.reference(at: reference)
        }
    }

    private mutating func addKey(_ object: Int, of foreign: ForeignList) throws(PropertyListError) {
        switch try foreign.object(object) {
        case .ascii(let bytes):
            try checkASCII(bytes, of: foreign)
            try key(utf8: foreign.list.extracting(bytes))
        case .utf16(let bytes): try key(utf16BigEndian: foreign.list.extracting(bytes))
        default: throw PropertyListError(.malformed)
        }
    }

    /// Adds a leaf, or begins a container and gives back what is in it.
    private mutating func add(_ object: Int, of foreign: ForeignList) throws(PropertyListError) -> Frame? {
        switch try foreign.object(object) {
        case .boolean(let value): try boolean(value)
        case .integer(let value): try integer(value)
        case .real(let value): try real(value)
        case .date(let seconds): try date(seconds)
        case .data(let bytes): try data(foreign.list.extracting(bytes))
        case .ascii(let bytes):
            try checkASCII(bytes, of: foreign)
            try string(utf8: foreign.list.extracting(bytes))
        case .utf16(let bytes): try string(utf16BigEndian: foreign.list.extracting(bytes))
        case .array(let count, let references):
            try beginArray()
            return Frame(isDictionary: false, count: count, references: references)
        case .dictionary(let count, let references):
            try beginDictionary()
            return Frame(isDictionary: true, count: count, references: references)
        }
        return nil
    }

    /// Refuses bytes above 0x7F, which could be valid UTF-8 but are not ASCII.
    private func checkASCII(_ bytes: Range<Int>, of foreign: ForeignList) throws(PropertyListError) {
        guard foreign.list.extracting(bytes).isASCII else { throw PropertyListError(.malformed, at: bytes.lowerBound) }
    }
}
