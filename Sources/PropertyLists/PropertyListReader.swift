internal import SecureMemory

/// Reads a canonical list in place: objects are numbers, 0 is the root, and nothing is allocated.
///
/// Every load is checked against the list's bounds, so even a list that was never checked can only give a wrong
/// value or a trap. Asking an object for another kind than it has traps too.
package struct PropertyListReader: ~Escapable {
    let list: RawSpan
    let tableOffset: Int
    let offsetWidth: Int
    let referenceWidth: Int
    /// The number of objects.
    package let objectCount: Int

    /// Reads the trailer and nothing else.
    ///
    /// - Parameter list: a list that has passed `CanonicalCheck`; under 42 bytes traps.
    @_lifetime(copy list)
    package init(trusted list: RawSpan) {
        precondition(list.byteCount >= PropertyListLimits.leastBytes, "not a list")
        let trailer = list.byteCount - 32
        self.list = list
        offsetWidth = Int(list.byte(at: trailer + 6))
        referenceWidth = Int(list.byte(at: trailer + 7))
        objectCount = Int(list.bigEndian(at: trailer + 12, as: UInt32.self))
        tableOffset = Int(list.bigEndian(at: trailer + 28, as: UInt32.self))
    }

    /// Where an object starts; the number of objects gives the end of the last.
    @inline(__always)
    func offset(of object: Int) -> Int {
        precondition(object >= 0 && object <= objectCount, "no such object")
        guard object < objectCount else { return tableOffset }
        return list.number(at: tableOffset &+ object &* offsetWidth, width: offsetWidth)
    }

    @inline(__always)
    func marker(of object: Int) -> UInt8 { list.byte(at: offset(of: object)) }

    /// The count of an object and where what is counted starts.
    @inline(__always)
    func head(at offset: Int) -> (count: Int, payload: Int) {
        let low = list.byte(at: offset) & 0x0F
        guard low == 0x0F else { return (Int(low), offset &+ 1) }
        let width = 1 << Int(list.byte(at: offset &+ 1) & 0x03)
        return (list.number(at: offset &+ 2, width: width), offset &+ 2 &+ width)
    }

    @inline(__always)
    private func require(_ condition: Bool) { precondition(condition, "the object is of another kind") }

    /// The kind of an object.
    package func kind(of object: Int) -> PropertyListKind {
        switch marker(of: object) & 0xF0 {
        case 0x00: .boolean
        case Marker.integer: .integer
        case Marker.real & 0xF0: .real
        case Marker.date & 0xF0: .date
        case Marker.data: .data
        case Marker.array: .array
        case Marker.dictionary: .dictionary
        default: .string
        }
    }

    /// The value of a boolean.
    package func boolean(_ object: Int) -> Bool {
        let marker = marker(of: object)
        require(marker & 0xFE == Marker.falsehood)
        return marker == Marker.truth
    }

    /// The value of an integer.
    package func integer(_ object: Int) -> Int64 {
        let offset = offset(of: object)
        switch list.byte(at: offset) {
        case 0x10: return Int64(list.byte(at: offset + 1))
        case 0x11: return Int64(list.bigEndian(at: offset + 1, as: UInt16.self))
        case 0x12: return Int64(list.bigEndian(at: offset + 1, as: UInt32.self))
        case let marker:
            require(marker == 0x13)
            return list.bigEndian(at: offset + 1, as: Int64.self)
        }
    }

    /// The value of a real.
    package func real(_ object: Int) -> Double {
        let offset = offset(of: object)
        require(list.byte(at: offset) == Marker.real)
        return Double(bitPattern: list.bigEndian(at: offset + 1, as: UInt64.self))
    }

    /// The value of a date, in seconds since 2001-01-01T00:00:00Z.
    package func date(_ object: Int) -> Double {
        let offset = offset(of: object)
        require(list.byte(at: offset) == Marker.date)
        return Double(bitPattern: list.bigEndian(at: offset + 1, as: UInt64.self))
    }

    /// The bytes of a data object, in place.
    @_lifetime(copy self)
    package func data(_ object: Int) -> RawSpan {
        let offset = offset(of: object)
        require(list.byte(at: offset) & 0xF0 == Marker.data)
        let (count, payload) = head(at: offset)
        return list.extracting(payload..<payload + count)
    }

    /// The text of a string, in place.
    @_lifetime(copy self)
    package func text(_ object: Int) -> PropertyListText {
        let offset = offset(of: object)
        let (count, payload) = head(at: offset)
        switch list.byte(at: offset) & 0xF0 {
        case Marker.ascii:
            return PropertyListText(bytes: list.extracting(payload..<payload + count), encoding: .ascii)
        case let marker:
            require(marker == Marker.utf16)
            return PropertyListText(bytes: list.extracting(payload..<payload + 2 * count), encoding: .utf16)
        }
    }

    /// The bytes of a string in place, or nil when it is not ASCII.
    @_lifetime(copy self)
    package func asciiBytes(of object: Int) -> RawSpan? {
        let text = text(object)
        return text.encoding == .ascii ? text.bytes : nil
    }
}
