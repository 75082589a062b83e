package import SecureMemory

/// Canonical lists whose root is one leaf, appended to an arena without any other memory: the values of a change.
package enum LeafList {
    /// Appends a list of one boolean, and says where it stands.
    package static func append(boolean: Bool, to arena: inout GuardedArena) throws(SecureMemoryError) -> Range<Int> {
        try list(in: &arena) { (arena) throws(SecureMemoryError) in
            try arena.append(boolean ? Marker.truth : Marker.falsehood)
        }
    }

    /// Appends a list of one integer, and says where it stands.
    package static func append(integer: Int64, to arena: inout GuardedArena) throws(SecureMemoryError) -> Range<Int> {
        let width = integerWidth(of: integer)
        return try list(in: &arena) { (arena) throws(SecureMemoryError) in
            try arena.append(Marker.integer | UInt8(width.trailingZeroBitCount))
            try append(UInt64(bitPattern: integer), width: width, to: &arena)
        }
    }

    /// Appends a list of one real, and says where it stands. Every NaN becomes the canonical one.
    package static func append(real: Double, to arena: inout GuardedArena) throws(SecureMemoryError) -> Range<Int> {
        try list(in: &arena) { (arena) throws(SecureMemoryError) in
            try arena.append(Marker.real)
            try append(real.isNaN ? Marker.canonicalNaN : real.bitPattern, width: 8, to: &arena)
        }
    }

    /// Appends a list of one piece of data, and says where it stands.
    package static func append(data: RawSpan, to arena: inout GuardedArena) throws(SecureMemoryError) -> Range<Int> {
        try list(in: &arena) { (arena) throws(SecureMemoryError) in
            try head(Marker.data, count: data.byteCount, to: &arena)
            try arena.append(data)
        }
    }

    /// Appends a list of one string, and says where it stands.
    ///
    /// - Returns: nil, and nothing is appended, when the bytes are not UTF-8.
    package static func append(
        string utf8: RawSpan, to arena: inout GuardedArena
    ) throws(SecureMemoryError) -> Range<Int>? {
        var unitCount = 0
        var text = UTF8Text(utf8)
        while let scalar = text.next() { unitCount &+= scalar < 0x1_0000 ? 1 : 2 }
        if text.isMalformed { return nil }
        return try list(in: &arena) { (arena) throws(SecureMemoryError) in
            if utf8.isASCII {
                try head(Marker.ascii, count: utf8.byteCount, to: &arena)
                try arena.append(utf8)
                return
            }
            try head(Marker.utf16, count: unitCount, to: &arena)
            var text = UTF8Text(utf8)
            while let scalar = text.next() {
                let (first, second) = utf16Units(of: scalar)
                try append(UInt64(first), width: 2, to: &arena)
                if let second { try append(UInt64(second), width: 2, to: &arena) }
            }
        }
    }

    private static func list(
        in arena: inout GuardedArena, _ object: (inout GuardedArena) throws(SecureMemoryError) -> Void
    ) throws(SecureMemoryError) -> Range<Int> {
        let start = arena.count
        try arena.append(literal: "bplist00")
        try object(&arena)
        let tableOffset = arena.count - start
        let width = leastWidth(for: tableOffset)
        try append(8, width: width, to: &arena)
        for _ in 0..<6 { try arena.append(0) }
        try arena.append(UInt8(width))
        try arena.append(1)
        try append(1, width: 8, to: &arena)
        try append(0, width: 8, to: &arena)
        try append(UInt64(tableOffset), width: 8, to: &arena)
        return start..<arena.count
    }

    private static func head(
        _ marker: UInt8, count: Int, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        guard count >= 15 else { return try arena.append(marker | UInt8(count)) }
        let width = leastWidth(for: count)
        try arena.append(marker | 15)
        try arena.append(Marker.integer | UInt8(width.trailingZeroBitCount))
        try append(UInt64(count), width: width, to: &arena)
    }

    private static func append(
        _ value: UInt64, width: Int, to arena: inout GuardedArena
    ) throws(SecureMemoryError) {
        for index in (0..<width).reversed() { try arena.append(UInt8(truncatingIfNeeded: value >> (index * 8))) }
    }
}
