/// A binary property list as anyone may write it: objects in any order and place, shared, with wide numbers.
///
/// Nothing is trusted: each object is checked where it is read.
struct ForeignList: ~Escapable {
    /// What stands at an object's place.
    enum Object {
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case date(Double)
        /// Where the payload stands.
        case data(Range<Int>)
        case ascii(Range<Int>)
        case utf16(Range<Int>)
        /// The number of elements and where the references start.
        case array(count: Int, references: Int)
        /// The number of entries and where the references of the keys start; those of the values follow.
        case dictionary(count: Int, references: Int)

        var isString: Bool {
            switch self {
            case .ascii, .utf16: true
            default: false
            }
        }
    }

    let list: RawSpan
    let objectCount: Int
    let root: Int
    private let table: Int
    private let offsetWidth: Int
    let referenceWidth: Int

    /// Checks the header and the trailer.
    @_lifetime(copy list)
    init(_ list: RawSpan) throws(PropertyListError) {
        try PropertyListLimits.checkOutside(of: list)
        let trailer = list.byteCount - 32
        let offsetWidth = Int(list.byte(at: trailer + 6))
        let referenceWidth = Int(list.byte(at: trailer + 7))
        let count = list.bigEndian(at: trailer + 8, as: UInt64.self)
        let root = list.bigEndian(at: trailer + 16, as: UInt64.self)
        let table = list.bigEndian(at: trailer + 24, as: UInt64.self)
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth), root < count, table > 8,
            table < UInt64(trailer), count <= (UInt64(trailer) - table) / UInt64(offsetWidth)
        else { throw PropertyListError(.malformed, at: trailer) }
        // Each object that is reached takes one of the canonical list at least.
        guard count <= UInt64(PropertyListLimits.objects) else { throw PropertyListError(.tooManyObjects, at: trailer) }
        self.list = list
        self.objectCount = Int(count)
        self.root = Int(root)
        self.table = Int(table)
        self.offsetWidth = offsetWidth
        self.referenceWidth = referenceWidth
    }

    /// The object that a reference names.
    func reference(at offset: Int) throws(PropertyListError) -> Int {
        let object = wideNumber(at: offset, width: referenceWidth)
        guard object < UInt64(objectCount) else { throw PropertyListError(.malformed, at: offset) }
        return Int(object)
    }

    /// Reads an object's kind and the bounds of what it holds.
    func object(_ number: Int) throws(PropertyListError) -> Object {
        let entry = table + number * offsetWidth
        let place = wideNumber(at: entry, width: offsetWidth)
        guard place >= 8, place < UInt64(table) else { throw PropertyListError(.malformed, at: entry) }
        let start = Int(place)
        let marker = list.byte(at: start)
        switch marker {
        case Marker.falsehood: return .boolean(false)
        case Marker.truth: return .boolean(true)
        case 0x10...0x14: return .integer(try integer(at: start, width: 1 << Int(marker & 0x0F)))
        case 0x22:
            let bits = try payload(at: start + 1, count: 4, size: 1).lowerBound
            return .real(Double(Float(bitPattern: list.bigEndian(at: bits, as: UInt32.self))))
        case Marker.real: return .real(try double(at: start + 1))
        case Marker.date:
            let seconds = try double(at: start + 1)
            guard seconds.isFinite else { throw PropertyListError(.malformed, at: start) }
            return .date(seconds)
        default: break
        }
        guard [Marker.data, Marker.ascii, Marker.utf16, Marker.array, Marker.dictionary].contains(marker & 0xF0) else {
            throw PropertyListError(Marker.refusal(of: marker), at: start)
        }
        let (count, first) = try head(at: start)
        switch marker & 0xF0 {
        case Marker.data: return .data(try payload(at: first, count: count, size: 1))
        case Marker.ascii: return .ascii(try payload(at: first, count: count, size: 1))
        case Marker.utf16: return .utf16(try payload(at: first, count: count, size: 2))
        case Marker.array:
            _ = try payload(at: first, count: count, size: referenceWidth)
            return .array(count: count, references: first)
        default:
            _ = try payload(at: first, count: count, size: 2 * referenceWidth)
            return .dictionary(count: count, references: first)
        }
    }

    /// The bytes of a payload, all of which have to stand before the table.
    private func payload(at start: Int, count: Int, size: Int) throws(PropertyListError) -> Range<Int> {
        guard start <= table, count <= (table - start) / size else { throw PropertyListError(.malformed, at: start) }
        return start..<start + count * size
    }

    private func double(at offset: Int) throws(PropertyListError) -> Double {
        let bits = try payload(at: offset, count: 8, size: 1).lowerBound
        return Double(bitPattern: list.bigEndian(at: bits, as: UInt64.self))
    }

    /// An integer of 1, 2 or 4 unsigned or 8 or 16 signed bytes.
    private func integer(at start: Int, width: Int) throws(PropertyListError) -> Int64 {
        let bytes = try payload(at: start + 1, count: width, size: 1)
        guard width >= 8 else { return Int64(list.number(at: bytes.lowerBound, width: width)) }
        let low = list.bigEndian(at: bytes.upperBound - 8, as: Int64.self)
        guard width == 8 || list.bigEndian(at: bytes.lowerBound, as: Int64.self) == low >> 63 else {
            throw PropertyListError(.unsupportedType, at: start)
        }
        return low
    }

    /// The count of an object and where what is counted starts.
    private func head(at start: Int) throws(PropertyListError) -> (count: Int, first: Int) {
        let low = list.byte(at: start) & 0x0F
        guard low == 0x0F else { return (Int(low), start + 1) }
        guard start + 1 < table, case 0x10...0x13 = list.byte(at: start + 1) else {
            throw PropertyListError(.malformed, at: start)
        }
        let width = 1 << Int(list.byte(at: start + 1) & 0x0F)
        let bytes = try payload(at: start + 2, count: width, size: 1)
        let count = wideNumber(at: bytes.lowerBound, width: width)
        // No count can be larger than the bytes there are, so products of it stay small.
        guard count <= UInt64(table) else { throw PropertyListError(.malformed, at: start) }
        return (Int(count), bytes.upperBound)
    }

    /// An unsigned number of 1 to 8 bytes.
    private func wideNumber(at offset: Int, width: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<width { number = number << 8 | UInt64(list.byte(at: offset + index)) }
        return number
    }
}
