/// The walk of the canonical check over all objects.
///
/// The state is the next object, where it must start, and for each open container the reference that must name it.
struct ObjectPass: ~Escapable {
    /// A container whose children are being read.
    private struct Frame {
        /// Where the reference to the next child stands.
        var reference: UInt32
        var remaining: UInt32
    }

    private let list: RawSpan
    private let table: Int
    private let offsetWidth: Int
    private let referenceWidth: Int
    private let objectCount: Int
    private let names: NameRule
    private var position = 8
    private var object = 0

    @_lifetime(copy list)
    init(list: RawSpan, layout: ListLayout, names: NameRule) {
        self.list = list
        table = layout.tableOffset
        offsetWidth = layout.offsetWidth
        referenceWidth = layout.referenceWidth
        objectCount = layout.objectCount
        self.names = names
    }

    /// Reads every object.
    ///
    /// - Parameter maximumDepth: at most `CanonicalCheck.deepest`.
    mutating func run(maximumDepth: Int) throws(PropertyListError) {
        var frames = InlineArray<64, Frame>(repeating: Frame(reference: 0, remaining: 0))
        var depth = 0
        repeat {
            if depth > 0 {
                try expectReference(at: Int(frames[depth &- 1].reference), to: object)
                frames[depth &- 1].reference &+= UInt32(truncatingIfNeeded: referenceWidth)
                frames[depth &- 1].remaining &-= 1
            }
            try begin()
            let start = position
            let marker = list.byte(at: start)
            object &+= 1
            if marker & 0xF0 == Marker.array || marker & 0xF0 == Marker.dictionary {
                guard depth < maximumDepth else { throw PropertyListError(.tooDeep, at: start) }
                let count = try container(isDictionary: marker & 0xF0 == Marker.dictionary)
                if count.remaining > 0 {
                    frames[depth] = count
                    depth &+= 1
                }
            } else {
                try leaf(marker)
            }
            while depth > 0, frames[depth &- 1].remaining == 0 { depth &-= 1 }
        } while depth > 0
        guard object == objectCount, position == table else { throw PropertyListError(.notCanonical, at: position) }
    }

    /// Checks that the next object exists and starts where the table says.
    @inline(__always)
    private func begin() throws(PropertyListError) {
        guard object < objectCount, position < table else { throw PropertyListError(.malformed, at: position) }
        guard list.number(at: table &+ object &* offsetWidth, width: offsetWidth) == position else {
            throw PropertyListError(.notCanonical, at: table &+ object &* offsetWidth)
        }
    }

    @inline(__always)
    private func expectReference(at offset: Int, to object: Int) throws(PropertyListError) {
        guard list.number(at: offset, width: referenceWidth) == object else {
            throw PropertyListError(.notCanonical, at: offset)
        }
    }

    /// Moves behind so many bytes, which have to stand before the table.
    @inline(__always)
    private mutating func skip(_ length: Int) throws(PropertyListError) {
        guard length <= table &- position else { throw PropertyListError(.malformed, at: position) }
        position &+= length
    }

    /// Reads a count of least width and moves to what is counted.
    @inline(__always)
    private mutating func head() throws(PropertyListError) -> Int {
        let start = position
        let low = list.byte(at: start) & 0x0F
        guard low == 0x0F else {
            position &+= 1
            return Int(low)
        }
        guard table &- start >= 3 else { throw PropertyListError(.malformed, at: start) }
        let marker = list.byte(at: start &+ 1)
        guard marker >= 0x10, marker <= 0x12 else {
            throw PropertyListError(marker == 0x13 ? .notCanonical : .malformed, at: start)
        }
        let width = 1 << Int(marker & 0x03)
        try skip(2 &+ width)
        let count = list.number(at: start &+ 2, width: width)
        guard count >= 15, width == leastWidth(for: count) else { throw PropertyListError(.notCanonical, at: start) }
        return count
    }

    /// Reads a container's references and, in a dictionary, the keys that follow it.
    private mutating func container(isDictionary: Bool) throws(PropertyListError) -> Frame {
        let isRoot = object == 1
        let start = position
        let count = try head()
        // Each child takes a reference at least, so a count beyond the objects is refused before it is multiplied.
        guard count <= objectCount else { throw PropertyListError(.malformed, at: start) }
        let references = position
        try skip(count &* referenceWidth &* (isDictionary ? 2 : 1))
        guard isDictionary else {
            return Frame(reference: UInt32(references), remaining: UInt32(count))
        }
        if count > 0 { try keys(count, references: references, names: isRoot ? names : .any) }
        return Frame(reference: UInt32(references &+ count &* referenceWidth), remaining: UInt32(count))
    }

    /// Reads a dictionary's keys: strings, one after another, ascending.
    private mutating func keys(_ count: Int, references: Int, names: NameRule) throws(PropertyListError) {
        var previous = PropertyListText(bytes: list.extracting(first: 0), encoding: .ascii)
        for index in 0..<count {
            try expectReference(at: references &+ index &* referenceWidth, to: object)
            try begin()
            let start = position
            let marker = list.byte(at: start) & 0xF0
            guard marker == Marker.ascii || marker == Marker.utf16 else {
                throw PropertyListError(.malformed, at: start)
            }
            object &+= 1
            let text = try string(isASCII: marker == Marker.ascii)
            if index > 0 {
                let order = previous.compare(text)
                if order == 0 { throw PropertyListError(.duplicateKey, at: start) }
                guard order < 0 else { throw PropertyListError(.notCanonical, at: start) }
            }
            guard names.allows(text) else { throw PropertyListError(.malformed, at: start) }
            previous = text
        }
    }

    @_lifetime(copy self)
    private mutating func string(isASCII: Bool) throws(PropertyListError) -> PropertyListText {
        let count = try head()
        let start = position
        guard isASCII else {
            try skip(2 &* count)
            let text = PropertyListText(bytes: list.extracting(start..<position), encoding: .utf16)
            guard try text.holdsMoreThanASCII(at: start) else { throw PropertyListError(.notCanonical, at: start) }
            return text
        }
        try skip(count)
        let text = PropertyListText(bytes: list.extracting(start..<position), encoding: .ascii)
        guard text.bytes.isASCII else { throw PropertyListError(.malformed, at: start) }
        return text
    }

    private mutating func leaf(_ marker: UInt8) throws(PropertyListError) {
        let start = position
        switch marker {
        case Marker.falsehood, Marker.truth:
            position &+= 1
        case 0x10...0x13:
            let width = 1 << Int(marker & 0x03)
            try skip(1 &+ width)
            guard width == leastIntegerWidth(at: start &+ 1, width: width) else {
                throw PropertyListError(.notCanonical, at: start)
            }
        case Marker.real:
            try skip(9)
            let bits = list.bigEndian(at: start &+ 1, as: UInt64.self)
            guard !Double(bitPattern: bits).isNaN || bits == Marker.canonicalNaN else {
                throw PropertyListError(.notCanonical, at: start)
            }
        case Marker.date:
            try skip(9)
            guard Double(bitPattern: list.bigEndian(at: start &+ 1, as: UInt64.self)).isFinite else {
                throw PropertyListError(.malformed, at: start)
            }
        case Marker.data...Marker.data | 0x0F:
            try skip(try head())
        case Marker.ascii...Marker.ascii | 0x0F:
            _ = try string(isASCII: true)
        case Marker.utf16...Marker.utf16 | 0x0F:
            _ = try string(isASCII: false)
        default:
            throw PropertyListError(Marker.refusal(of: marker), at: start)
        }
    }

    /// The least width that an integer of 1, 2, 4 or 8 bytes could have had.
    @inline(__always)
    private func leastIntegerWidth(at offset: Int, width: Int) -> Int {
        guard width == 8 else { return leastWidth(for: list.number(at: offset, width: width)) }
        let value = list.bigEndian(at: offset, as: Int64.self)
        return value >= 0 && value < 1 << 32 ? 4 : 8
    }
}

extension Marker {
    /// Why an object with this first byte is refused.
    static func refusal(of marker: UInt8) -> PropertyListError.Code {
        switch marker {
        // Null, URLs, UUID and fill; integers of 16 bytes; UIDs; ordered sets and sets.
        case 0x00, 0x0C...0x0F, 0x14, 0x80...0x8F, 0xB0...0xCF: .unsupportedType
        // A real of four bytes is readable.
        case 0x22: .notCanonical
        default: .malformed
        }
    }
}
