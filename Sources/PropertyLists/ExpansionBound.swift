/// Finds out how large a foreign list grows when all that it shares is written out, without writing it.
///
/// Each container is looked at once, however often it is shared, so that a list of a few bytes that stands for
/// billions of objects is refused at once. Containers that hold themselves and too deep ones are found on the way.
struct ExpansionBound: ~Escapable {
    /// What is known of an object and all that is in it.
    private struct Extent {
        /// 0 before it has been looked at.
        var objects: UInt32 = 0
        /// The least bytes that it takes.
        var bytes: UInt32 = 0
    }

    /// A container whose children are being added up.
    private struct Frame {
        let object: Int
        let references: Int
        let childCount: Int
        /// The number of keys, which come first among the children.
        let keyCount: Int
        var next = 0
        var objects: Int
        var bytes: Int
        var height = 0
    }

    private let foreign: ForeignList
    private let maximumDepth: Int
    private var extents: [Extent]
    /// For containers: the number of containers on the longest way down, or `inProgress`.
    private var heights: [UInt16]
    private var referenceCount = 0

    private static let inProgress = UInt16.max

    /// Checks a whole list.
    ///
    /// - Throws: `malformed` for cycles and impossible objects, `unsupportedType`, `tooDeep`, `tooLarge`.
    static func check(_ foreign: ForeignList, maximumDepth: Int) throws(PropertyListError) {
        var bound = ExpansionBound(foreign, maximumDepth: maximumDepth)
        try bound.run()
    }

    @_lifetime(copy foreign)
    private init(_ foreign: ForeignList, maximumDepth: Int) {
        self.foreign = foreign
        self.maximumDepth = maximumDepth
        extents = Array(repeating: Extent(), count: foreign.objectCount)
        heights = Array(repeating: 0, count: foreign.objectCount)
    }

    private mutating func run() throws(PropertyListError) {
        var path: [Frame] = []
        if let frame = try visit(foreign.root, isKey: false) { path.append(frame) }
        while var top = path.popLast() {
            guard top.next < top.childCount else {
                finish(top)
                guard let parent = path.indices.last else { return }
                try add(top.object, to: &path[parent], below: path.count)
                continue
            }
            let child = try foreign.reference(at: top.references + top.next * foreign.referenceWidth)
            let isKey = top.next < top.keyCount
            top.next += 1
            if let frame = try visit(child, isKey: isKey) {
                guard path.count + 2 <= maximumDepth else { throw PropertyListError(.tooDeep, at: top.references) }
                path.append(top)
                path.append(frame)
            } else {
                try add(child, to: &top, below: path.count + 1)
                path.append(top)
            }
        }
    }

    /// Looks at an object for the first time, or does nothing.
    ///
    /// - Returns: a container whose children have to be added up first.
    private mutating func visit(_ object: Int, isKey: Bool) throws(PropertyListError) -> Frame? {
        if extents[object].objects > 0 && !isKey { return nil }
        guard heights[object] != Self.inProgress else { throw PropertyListError(.malformed) }
        let found = try foreign.object(object)
        guard !isKey || found.isString else { throw PropertyListError(.malformed) }
        let payload: Int
        switch found {
        case .boolean: payload = 0
        case .integer: payload = 1
        case .real, .date: payload = 8
        case .data(let bytes), .ascii(let bytes): payload = bytes.count
        // UTF-16 may turn out to be ASCII, so a unit takes one byte at least.
        case .utf16(let bytes): payload = bytes.count / 2
        case .array(let count, let references): return try enter(object, count, keys: 0, references)
        case .dictionary(let count, let references): return try enter(object, 2 * count, keys: count, references)
        }
        extents[object] = Extent(objects: 1, bytes: UInt32(1 + payload))
        return nil
    }

    private mutating func enter(
        _ object: Int, _ children: Int, keys: Int, _ references: Int
    ) throws(PropertyListError) -> Frame {
        // Containers may overlap, so it is not their bytes that bound the work.
        referenceCount += children
        guard referenceCount < PropertyListLimits.objects else {
            throw PropertyListError(.tooManyObjects, at: references)
        }
        heights[object] = Self.inProgress
        return Frame(
            object: object, references: references, childCount: children, keyCount: keys, objects: 1,
            bytes: 1 + children)
    }

    private mutating func finish(_ frame: Frame) {
        extents[frame.object] = Extent(objects: UInt32(frame.objects), bytes: UInt32(frame.bytes))
        heights[frame.object] = UInt16(frame.height + 1)
    }

    /// Adds a known child to its container.
    ///
    /// - Parameter depth: the depth of the container.
    private func add(_ child: Int, to frame: inout Frame, below depth: Int) throws(PropertyListError) {
        let height = Int(heights[child])
        guard depth + height <= maximumDepth else { throw PropertyListError(.tooDeep, at: frame.references) }
        frame.height = max(frame.height, height)
        frame.objects += Int(extents[child].objects)
        frame.bytes += Int(extents[child].bytes)
        guard frame.objects <= PropertyListLimits.objects else {
            throw PropertyListError(.tooManyObjects, at: frame.references)
        }
        guard frame.bytes <= PropertyListLimits.bytes else { throw PropertyListError(.tooLarge, at: frame.references) }
    }
}
