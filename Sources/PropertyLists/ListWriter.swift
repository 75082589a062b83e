/// Writes one canonical list, object by object, into bytes of exactly its size.
///
/// The offset table is filled as the objects are written. A place outside the bytes traps.
struct ListWriter: ~Copyable, ~Escapable {
    private var list: MutableRawSpan
    private let shape: ListShape
    /// Where the next byte goes.
    private(set) var position = 0
    /// The number of the next object.
    private(set) var object = 0

    var referenceWidth: Int { shape.referenceWidth }

    /// Starts a list with its header.
    ///
    /// - Parameters:
    ///   - list: as many bytes as the shape has.
    ///   - shape: the sizes of the list.
    @_lifetime(copy list)
    init(_ list: consuming MutableRawSpan, shape: ListShape) {
        precondition(list.byteCount == shape.byteCount, "the list has another size")
        self.list = list
        self.shape = shape
        self.list.storeBytes(of: Marker.header.bigEndian, toByteOffset: 0, as: UInt64.self)
        position = 8
    }

    /// Enters the next object, which starts here, in the table.
    @inline(__always)
    mutating func beginObject() {
        store(position, width: shape.offsetWidth, at: shape.tableOffset &+ object &* shape.offsetWidth)
        object &+= 1
    }

    mutating func byte(_ byte: UInt8) {
        list.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
        position &+= 1
    }

    mutating func unit(_ unit: UInt16) {
        list.storeBytes(of: unit.bigEndian, toByteOffset: position, as: UInt16.self)
        position &+= 2
    }

    @inline(__always)
    mutating func reference(to object: Int) {
        store(object, width: shape.referenceWidth, at: position)
        position &+= shape.referenceWidth
    }

    /// Writes a marker with its count.
    mutating func head(_ marker: UInt8, count: Int) {
        guard count >= 15 else { return byte(marker | UInt8(truncatingIfNeeded: count)) }
        let width = leastWidth(for: count)
        byte(marker | 0x0F)
        byte(Marker.integer | UInt8(width.trailingZeroBitCount))
        store(count, width: width, at: position)
        position &+= width
    }

    /// Writes an integer's object, in the least width that holds it.
    mutating func integer(_ number: Int64) {
        let width = integerWidth(of: number)
        byte(Marker.integer | UInt8(width.trailingZeroBitCount))
        for index in (0..<width).reversed() { byte(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }

    /// Leaves bytes as they are, and goes on behind them.
    mutating func skip(_ count: Int) {
        precondition(count >= 0 && count <= list.byteCount - position, "room out of range")
        position &+= count
    }

    /// Writes bytes as they are.
    mutating func copy(_ source: RawSpan) {
        copy(source, at: position)
        position &+= source.byteCount
    }

    /// Writes objects of another list that need no change, as one block, and their table entries.
    mutating func copyObjects(_ objects: Range<Int>, of reader: PropertyListReader) {
        let start = reader.offset(of: objects.lowerBound)
        let moved = position &- start
        copy(reader.list.extracting(start..<reader.offset(of: objects.upperBound)))
        let entries = reader.list.extracting(
            reader.tableOffset + objects.lowerBound * reader.offsetWidth..<reader.tableOffset + objects.upperBound
                * reader.offsetWidth)
        copyNumbers(
            entries, width: reader.offsetWidth, adding: moved,
            at: shape.tableOffset + object * shape.offsetWidth, newWidth: shape.offsetWidth)
        object += objects.count
    }

    /// Writes references of another list, each moved by the same number of objects.
    mutating func copyReferences(_ references: RawSpan, width: Int, adding moved: Int) {
        copyNumbers(references, width: width, adding: moved, at: position, newWidth: shape.referenceWidth)
        position &+= references.byteCount / width * shape.referenceWidth
    }

    /// Replaces references that are written already.
    mutating func overwriteReferences(_ references: RawSpan, width: Int, adding moved: Int, at offset: Int) {
        copyNumbers(references, width: width, adding: moved, at: offset, newWidth: shape.referenceWidth)
    }

    /// Ends the list with its trailer.
    mutating func finish() {
        precondition(position == shape.tableOffset && object == shape.objectCount, "the list has another shape")
        let trailer = shape.byteCount - 32
        let widths = UInt64(shape.offsetWidth << 8 | shape.referenceWidth)
        list.storeBytes(of: widths.bigEndian, toByteOffset: trailer, as: UInt64.self)
        list.storeBytes(of: UInt64(shape.objectCount).bigEndian, toByteOffset: trailer + 8, as: UInt64.self)
        list.storeBytes(of: 0, toByteOffset: trailer + 16, as: UInt64.self)
        list.storeBytes(of: UInt64(shape.tableOffset).bigEndian, toByteOffset: trailer + 24, as: UInt64.self)
    }

    @inline(__always)
    private mutating func store(_ number: Int, width: Int, at offset: Int) {
        switch width {
        case 1: list.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset, as: UInt8.self)
        case 2:
            list.storeBytes(of: UInt16(truncatingIfNeeded: number).bigEndian, toByteOffset: offset, as: UInt16.self)
        default:
            list.storeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, toByteOffset: offset, as: UInt32.self)
        }
    }

    private mutating func copy(_ source: RawSpan, at offset: Int) {
        precondition(offset >= 0 && source.byteCount <= list.byteCount - offset, "copy out of range")
        unsafe source.withUnsafeBytes { source in
            unsafe list.withUnsafeMutableBytes { list in
                guard let from = source.baseAddress, let to = list.baseAddress else { return }
                unsafe (to + offset).copyMemory(from: from, byteCount: source.count)
            }
        }
    }

    /// Copies a row of numbers; where none of them changes, as one block.
    private mutating func copyNumbers(
        _ source: RawSpan, width: Int, adding moved: Int, at offset: Int, newWidth: Int
    ) {
        if moved == 0 && width == newWidth { return copy(source, at: offset) }
        let count = source.byteCount / width
        if width == 4 && newWidth == 4 {
            let moved = UInt32(truncatingIfNeeded: moved)
            for index in 0..<count {
                let number = source.bigEndian(at: index &* 4, as: UInt32.self) &+ moved
                list.storeBytes(of: number.bigEndian, toByteOffset: offset &+ index &* 4, as: UInt32.self)
            }
        } else {
            for index in 0..<count {
                let number = source.number(at: index &* width, width: width) &+ moved
                store(number, width: newWidth, at: offset &+ index &* newWidth)
            }
        }
    }
}
