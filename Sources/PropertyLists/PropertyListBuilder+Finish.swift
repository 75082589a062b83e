package import SecureMemory

extension PropertyListBuilder {
    /// Writes the list.
    ///
    /// - Parameter maximumDepth: the deepest container, the root being at depth 1.
    /// - Returns: guarded memory of exactly the list's size.
    /// - Throws: `malformed` without a root or with a container still open; `tooDeep`; `tooLarge`; `outOfMemory`.
    package consuming func finish(
        maximumDepth: Int = PropertyListLimits.settingsDepth
    ) throws(PropertyListError) -> GuardedBuffer {
        let shape = try shape(maximumDepth: maximumDepth)
        var buffer: GuardedBuffer
        do throws(SecureMemoryError) {
            buffer = try GuardedBuffer(count: shape.byteCount)
        } catch {
            throw PropertyListError(.outOfMemory)
        }
        var writer = ListWriter(buffer.mutableBytes, shape: shape)
        write(to: &writer)
        writer.finish()
        return buffer
    }

    /// Writes the objects: a container, its keys, then what its values hold.
    ///
    /// The containers on the way down are kept in an array, so that depth costs no stack.
    private func write(to writer: inout ListWriter) {
        var path: [(node: Int, next: Int)] = []
        var current = 0
        while true {
            writeObject(nodes[current], to: &writer)
            if nodes[current].kind != .leaf { path.append((current, 0)) }
            while let top = path.last, top.next == Int(nodes[top.node].count) { path.removeLast() }
            guard let top = path.last else { return }
            path[path.count - 1].next += 1
            current = Int(entries[Int(nodes[top.node].start) + top.next].value)
        }
    }

    /// Writes a leaf, or a container and its keys.
    private func writeObject(_ node: Node, to writer: inout ListWriter) {
        let count = Int(node.count)
        let start = Int(node.start)
        writer.beginObject()
        guard node.kind != .leaf else { return writer.copy(leaves.bytes.extracting(start..<start + count)) }
        let isDictionary = node.kind == .dictionary
        var next = writer.object
        writer.head(isDictionary ? Marker.dictionary : Marker.array, count: count)
        if isDictionary {
            for key in next..<next + count { writer.reference(to: key) }
            next += count
        }
        for entry in entries[start..<start + count] {
            writer.reference(to: next)
            next += Int(nodes[Int(entry.value)].objects)
        }
        guard isDictionary else { return }
        for entry in entries[start..<start + count] {
            writer.beginObject()
            writer.copy(leaves.bytes.extracting(Int(entry.keyStart)..<Int(entry.keyEnd)))
        }
    }

    /// Compares two keys by code point: negative, zero or positive.
    static func compareKeys(_ left: Entry, _ right: Entry, in leaves: RawSpan) -> Int {
        let left = PropertyListText(encoded: leaves.extracting(Int(left.keyStart)..<Int(left.keyEnd)))
        return left.compare(PropertyListText(encoded: leaves.extracting(Int(right.keyStart)..<Int(right.keyEnd))))
    }
}

extension PropertyListText {
    /// Takes a string object that this module has encoded.
    @_lifetime(copy encoded)
    fileprivate init(encoded: RawSpan) {
        let marker = encoded.byte(at: 0)
        let head = marker & 0x0F < 0x0F ? 1 : 2 + 1 << Int(encoded.byte(at: 1) & 0x03)
        self.init(
            bytes: encoded.extracting(head..<encoded.byteCount),
            encoding: marker & 0xF0 == Marker.ascii ? .ascii : .utf16)
    }
}
