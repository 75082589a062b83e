internal import SecureMemory

/// Takes values one after another and gives one canonical list.
///
/// Leaves go into guarded memory at once, the heap holds places and counts only. Keys may come in any order. After
/// a call that throws, the builder is good for nothing but to be dropped.
package struct PropertyListBuilder: ~Copyable {
    /// A value: a leaf's bytes among the leaves, or a container's entries.
    struct Node {
        enum Kind: UInt8 { case leaf, array, dictionary }

        let kind: Kind
        /// Where the leaf's bytes or the container's entries start.
        var start: UInt32
        /// The number of bytes or entries.
        var count: UInt32
        /// The objects of the value and all that is in it.
        var objects: UInt32
    }

    /// A child of a container; in an array the key is empty.
    struct Entry {
        let keyStart: UInt32
        let keyEnd: UInt32
        let value: UInt32
    }

    /// A container that is still open.
    private struct Frame {
        let node: Int
        let firstPending: Int
        var key: Range<UInt32>?
    }

    var leaves: GuardedArena
    var nodes: [Node] = []
    /// The entries of closed containers, each container's in order and together.
    var entries: [Entry] = []
    /// The entries of open containers, the innermost's last.
    private var pending: [Entry] = []
    private var open: [Frame] = []
    private(set) var deepest = 0
    private var objectCount = 0
    /// The bytes of all objects without references.
    private var payload = 0

    /// Starts a list.
    ///
    /// - Throws: `outOfMemory`.
    package init() throws(PropertyListError) {
        do throws(SecureMemoryError) { leaves = try GuardedArena() } catch { throw PropertyListError(.outOfMemory) }
    }

    // MARK: Leaves

    package mutating func boolean(_ value: Bool) throws(PropertyListError) {
        let start = try beginLeaf(1)
        try append(value ? Marker.truth : Marker.falsehood)
        try endLeaf(start)
    }

    package mutating func integer(_ value: Int64) throws(PropertyListError) {
        let width = value >= 0 && value < 1 << 32 ? leastWidth(for: Int(value)) : 8
        let start = try beginLeaf(1 + width)
        try append(Marker.integer | UInt8(width.trailingZeroBitCount))
        try append(UInt64(bitPattern: value), width: width)
        try endLeaf(start)
    }

    /// Adds a real; every NaN becomes the canonical one.
    package mutating func real(_ value: Double) throws(PropertyListError) {
        let start = try beginLeaf(9)
        try append(Marker.real)
        try append(value.isNaN ? Marker.canonicalNaN : value.bitPattern, width: 8)
        try endLeaf(start)
    }

    /// Adds a date.
    ///
    /// - Parameter seconds: since 2001-01-01T00:00:00Z.
    /// - Throws: `malformed` when it is not finite.
    package mutating func date(_ seconds: Double) throws(PropertyListError) {
        guard seconds.isFinite else { throw PropertyListError(.malformed) }
        let start = try beginLeaf(9)
        try append(Marker.date)
        try append(seconds.bitPattern, width: 8)
        try endLeaf(start)
    }

    package mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
        let start = try beginLeaf(headLength(count: bytes.byteCount) + bytes.byteCount)
        try appendHead(Marker.data, count: bytes.byteCount)
        try append(bytes)
        try endLeaf(start)
    }

    /// Adds a string.
    ///
    /// - Parameter utf8: the text.
    /// - Throws: `malformed` for what is not UTF-8.
    package mutating func string(utf8: RawSpan) throws(PropertyListError) { try endLeaf(encode(utf8: utf8)) }

    /// Adds a string.
    ///
    /// - Parameter utf16BigEndian: the text.
    /// - Throws: `malformed` for lone surrogates and an odd number of bytes.
    package mutating func string(utf16BigEndian: RawSpan) throws(PropertyListError) {
        try endLeaf(encode(utf16BigEndian: utf16BigEndian))
    }

    /// Adds an object that is already in its canonical form and holds no references.
    mutating func leaf(encoded: RawSpan) throws(PropertyListError) {
        let start = try beginLeaf(encoded.byteCount)
        try append(encoded)
        try endLeaf(start)
    }

    // MARK: Containers

    package mutating func beginArray() throws(PropertyListError) { try begin(.array) }

    /// Ends the array begun last; `malformed` when that is a dictionary.
    package mutating func endArray() throws(PropertyListError) { try end(.array) }

    package mutating func beginDictionary() throws(PropertyListError) { try begin(.dictionary) }

    /// Names the next value of a dictionary.
    package mutating func key(utf8: RawSpan) throws(PropertyListError) { try endKey(encode(utf8: utf8)) }

    /// Names the next value of a dictionary.
    package mutating func key(utf16BigEndian: RawSpan) throws(PropertyListError) {
        try endKey(encode(utf16BigEndian: utf16BigEndian))
    }

    mutating func key(encoded: RawSpan) throws(PropertyListError) {
        let start = try beginLeaf(encoded.byteCount)
        try append(encoded)
        try endKey(start)
    }

    /// Ends the dictionary begun last and sorts its keys.
    ///
    /// - Throws: `duplicateKey` for equal keys; `malformed` when the container is an array or a key has no value.
    package mutating func endDictionary() throws(PropertyListError) { try end(.dictionary) }

    private mutating func begin(_ kind: Node.Kind) throws(PropertyListError) {
        let node = try add(Node(kind: kind, start: 0, count: 0, objects: 1))
        open.append(Frame(node: node, firstPending: pending.count, key: nil))
        deepest = max(deepest, open.count)
    }

    private mutating func end(_ kind: Node.Kind) throws(PropertyListError) {
        guard let frame = open.popLast(), nodes[frame.node].kind == kind, frame.key == nil else {
            throw PropertyListError(.malformed)
        }
        let count = pending.count - frame.firstPending
        nodes[frame.node].start = UInt32(entries.count)
        nodes[frame.node].count = UInt32(count)
        do {
            // The slice shares the array's storage: it must be gone before the array changes, or all is copied.
            let children = pending[frame.firstPending...]
            nodes[frame.node].objects = children.reduce(kind == .dictionary ? 1 + UInt32(count) : 1) {
                $0 + nodes[Int($1.value)].objects
            }
            entries.append(contentsOf: kind == .dictionary ? try sorted(children) : children)
        }
        pending.removeLast(count)
        try addPayload(headLength(count: count))
    }

    /// Sorts a dictionary's entries by their keys and refuses equal ones.
    private func sorted(_ children: ArraySlice<Entry>) throws(PropertyListError) -> ArraySlice<Entry> {
        let leaves = leaves.bytes
        if try isAscending(children, in: leaves) { return children }
        let sorted = children.sorted { Self.compareKeys($0, $1, in: leaves) < 0 }[...]
        // Equal keys stand side by side now.
        _ = try isAscending(sorted, in: leaves)
        return sorted
    }

    private func isAscending(_ children: ArraySlice<Entry>, in leaves: RawSpan) throws(PropertyListError) -> Bool {
        for (left, right) in zip(children, children.dropFirst()) {
            let order = Self.compareKeys(left, right, in: leaves)
            if order == 0 { throw PropertyListError(.duplicateKey) }
            if order > 0 { return false }
        }
        return true
    }

    // MARK: Structure

    /// Enters a value in the container begun last.
    @discardableResult
    private mutating func add(_ node: Node) throws(PropertyListError) -> Int {
        guard !open.isEmpty || nodes.isEmpty else { throw PropertyListError(.malformed) }
        try countObject()
        let index = nodes.count
        if !open.isEmpty {
            let last = open.count - 1
            let isDictionary = nodes[open[last].node].kind == .dictionary
            guard let key = open[last].key ?? (isDictionary ? nil : 0..<0) else { throw PropertyListError(.malformed) }
            open[last].key = nil
            pending.append(Entry(keyStart: key.lowerBound, keyEnd: key.upperBound, value: UInt32(index)))
        }
        nodes.append(node)
        return index
    }

    private mutating func countObject() throws(PropertyListError) {
        objectCount += 1
        guard objectCount <= PropertyListLimits.objects else { throw PropertyListError(.tooLarge) }
    }

    private mutating func addPayload(_ bytes: Int) throws(PropertyListError) {
        guard bytes <= PropertyListLimits.bytes - payload else { throw PropertyListError(.tooLarge) }
        payload += bytes
    }

    private mutating func beginLeaf(_ length: Int) throws(PropertyListError) -> Int {
        try addPayload(length)
        do throws(SecureMemoryError) { try leaves.reserve(length) } catch { throw PropertyListError(.outOfMemory) }
        return leaves.count
    }

    private mutating func endLeaf(_ start: Int) throws(PropertyListError) {
        try add(Node(kind: .leaf, start: UInt32(start), count: UInt32(leaves.count - start), objects: 1))
    }

    private mutating func endKey(_ start: Int) throws(PropertyListError) {
        guard let frame = open.last, frame.key == nil, nodes[frame.node].kind == .dictionary else {
            throw PropertyListError(.malformed)
        }
        try countObject()
        open[open.count - 1].key = UInt32(start)..<UInt32(leaves.count)
    }

    /// The sizes of the whole list.
    ///
    /// - Throws: `malformed` without a root or with a container still open; `tooDeep`; `tooLarge`.
    func shape(maximumDepth: Int) throws(PropertyListError) -> ListShape {
        guard open.isEmpty, !nodes.isEmpty else { throw PropertyListError(.malformed) }
        guard deepest <= maximumDepth else { throw PropertyListError(.tooDeep) }
        return try ListShape(objectCount: objectCount, payload: payload)
    }

    // MARK: Bytes

    private mutating func encode(utf8: RawSpan) throws(PropertyListError) -> Int {
        let string = try EncodedString(utf8: utf8)
        let start = try beginLeaf(string.byteCount)
        try appendHead(string.marker, count: string.unitCount)
        if string.isASCII {
            try append(utf8)
            return start
        }
        var text = UTF8Text(utf8)
        while let scalar = text.next() {
            let (first, second) = utf16Units(of: scalar)
            try append(UInt64(first), width: 2)
            if let second { try append(UInt64(second), width: 2) }
        }
        return start
    }

    private mutating func encode(utf16BigEndian bytes: RawSpan) throws(PropertyListError) -> Int {
        guard bytes.byteCount % 2 == 0 else { throw PropertyListError(.malformed) }
        let text = PropertyListText(bytes: bytes, encoding: .utf16)
        if try text.holdsMoreThanASCII(at: 0) {
            let start = try beginLeaf(headLength(count: text.unitCount) + bytes.byteCount)
            try appendHead(Marker.utf16, count: text.unitCount)
            try append(bytes)
            return start
        }
        let start = try beginLeaf(headLength(count: text.unitCount) + text.unitCount)
        try appendHead(Marker.ascii, count: text.unitCount)
        for index in 0..<text.unitCount { try append(UInt8(truncatingIfNeeded: text.unit(index))) }
        return start
    }

    private mutating func appendHead(_ marker: UInt8, count: Int) throws(PropertyListError) {
        guard count >= 15 else { return try append(marker | UInt8(truncatingIfNeeded: count)) }
        let width = leastWidth(for: count)
        try append(marker | 0x0F)
        try append(Marker.integer | UInt8(width.trailingZeroBitCount))
        try append(UInt64(count), width: width)
    }

    private mutating func append(_ number: UInt64, width: Int) throws(PropertyListError) {
        for index in 1...width { try append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - index)))) }
    }

    private mutating func append(_ byte: UInt8) throws(PropertyListError) {
        do throws(SecureMemoryError) { try leaves.append(byte) } catch { throw PropertyListError(.outOfMemory) }
    }

    private mutating func append(_ bytes: RawSpan) throws(PropertyListError) {
        do throws(SecureMemoryError) { try leaves.append(bytes) } catch { throw PropertyListError(.outOfMemory) }
    }
}
