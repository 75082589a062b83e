internal import SecureMemory

/// Takes values one after another and gives one canonical list.
///
/// Leaves go into guarded memory at once, the heap holds places and counts only. Keys may come in any order. After
/// a call that throws for another reason than its text or number, all later ones throw `malformed`. Before an array on the
/// heap grows, the system is asked for the room: so too little memory is an error like another.
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
    /// Whether a call has begun to change the builder; one that throws leaves it so.
    private var isChanging = false

    /// Starts a list.
    ///
    /// - Throws: `outOfMemory`.
    package init() throws(PropertyListError) {
        do throws(SecureMemoryError) { leaves = try GuardedArena() } catch { throw PropertyListError(.outOfMemory) }
    }

    /// Begins an array; the values that follow are its elements.
    ///
    /// - Throws: `malformed` where no value may stand; `tooLarge`; `outOfMemory`.
    package mutating func beginArray() throws(PropertyListError) { try begin(.array) }

    /// Ends the array begun last.
    ///
    /// - Throws: `malformed` when the container begun last is not an array; `tooLarge`; `outOfMemory`.
    package mutating func endArray() throws(PropertyListError) { try end(.array) }

    /// Begins a dictionary; a key precedes each value that follows.
    ///
    /// - Throws: `malformed` where no value may stand; `tooLarge`; `outOfMemory`.
    package mutating func beginDictionary() throws(PropertyListError) { try begin(.dictionary) }

    /// Names the next value of a dictionary.
    ///
    /// - Parameter utf8: any text.
    /// - Throws: `malformed` for what is not UTF-8 and where no key may stand; `tooLarge`; `outOfMemory`.
    package mutating func key(utf8: RawSpan) throws(PropertyListError) { try endKey(encode(utf8: utf8)) }

    /// Names the next value of a dictionary.
    ///
    /// - Parameter utf16BigEndian: any text.
    /// - Throws: `malformed` for what is not UTF-16 and where no key may stand; `tooLarge`; `outOfMemory`.
    package mutating func key(utf16BigEndian: RawSpan) throws(PropertyListError) {
        try endKey(encode(utf16BigEndian: utf16BigEndian))
    }

    /// Ends the dictionary begun last and sorts its keys.
    ///
    /// - Throws: `duplicateKey` for equal keys; `malformed` when the container begun last is not a dictionary or its
    ///   last key has no value; `tooLarge`; `outOfMemory`.
    package mutating func endDictionary() throws(PropertyListError) { try end(.dictionary) }

    private mutating func begin(_ kind: Node.Kind) throws(PropertyListError) {
        try beginChange()
        let node = try add(Node(kind: kind, start: 0, count: 0, objects: 1))
        open.append(Frame(node: node, firstPending: pending.count, key: nil))
        deepest = max(deepest, open.count)
        isChanging = false
    }

    private mutating func end(_ kind: Node.Kind) throws(PropertyListError) {
        try beginChange()
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
            try entries.makeRoom(for: count)
            entries.append(contentsOf: kind == .dictionary ? try sorted(children) : children)
        }
        pending.removeLast(count)
        try addPayload(headLength(count: count))
        isChanging = false
    }

    /// Sorts a dictionary's entries by their keys and refuses equal ones.
    private func sorted(_ children: ArraySlice<Entry>) throws(PropertyListError) -> ArraySlice<Entry> {
        let leaves = leaves.bytes
        if try isAscending(children, in: leaves) { return children }
        // The copy, and what the sort works with.
        try Room.check(bytes: 2 * children.count * MemoryLayout<Entry>.stride)
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
            try pending.makeRoom()
            pending.append(Entry(keyStart: key.lowerBound, keyEnd: key.upperBound, value: UInt32(index)))
        }
        try nodes.makeRoom()
        nodes.append(node)
        return index
    }

    private mutating func beginChange() throws(PropertyListError) {
        guard !isChanging else { throw PropertyListError(.malformed) }
        isChanging = true
    }

    private mutating func countObject() throws(PropertyListError) {
        objectCount += 1
        guard objectCount <= PropertyListLimits.objects else { throw PropertyListError(.tooManyObjects) }
    }

    private mutating func addPayload(_ bytes: Int) throws(PropertyListError) {
        guard bytes <= PropertyListLimits.bytes - payload else { throw PropertyListError(.tooLarge) }
        payload += bytes
    }

    /// Makes room for a leaf or a key, and says where it starts.
    mutating func beginLeaf(_ length: Int) throws(PropertyListError) -> Int {
        try beginChange()
        try addPayload(length)
        do throws(SecureMemoryError) { try leaves.reserve(length) } catch { throw PropertyListError(.outOfMemory) }
        return leaves.count
    }

    /// Enters the leaf that ends here.
    mutating func endLeaf(_ start: Int) throws(PropertyListError) {
        try add(Node(kind: .leaf, start: UInt32(start), count: UInt32(leaves.count - start), objects: 1))
        isChanging = false
    }

    /// Enters the key that ends here.
    mutating func endKey(_ start: Int) throws(PropertyListError) {
        guard let frame = open.last, frame.key == nil, nodes[frame.node].kind == .dictionary else {
            throw PropertyListError(.malformed)
        }
        try countObject()
        open[open.count - 1].key = UInt32(start)..<UInt32(leaves.count)
        isChanging = false
    }

    /// The sizes of the whole list.
    ///
    /// - Throws: `malformed` without a root or with a container still open; `tooDeep`; `tooLarge`.
    func shape(maximumDepth: Int) throws(PropertyListError) -> ListShape {
        guard open.isEmpty, !nodes.isEmpty, !isChanging else { throw PropertyListError(.malformed) }
        guard deepest <= maximumDepth else { throw PropertyListError(.tooDeep) }
        return try ListShape(objectCount: objectCount, payload: payload)
    }
}
