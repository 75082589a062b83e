/// Bytes that grow in guarded memory: each growth moves them to a larger buffer and wipes the old one.
///
/// Places are offsets, so they outlive a growth.
package struct GuardedArena: ~Copyable, Sendable {
    private var buffer: GuardedBuffer
    /// The number of bytes in use.
    package private(set) var count = 0

    package init(capacity: Int = 4064) throws(SecureMemoryError) {
        buffer = try GuardedBuffer(count: max(capacity, 64))
    }

    /// The bytes in use.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { buffer.bytes.extracting(first: count) }
    }

    /// The number of bytes that have room without a growth.
    package var capacity: Int { buffer.count }

    /// Makes room for more bytes.
    package mutating func reserve(_ additional: Int) throws(SecureMemoryError) {
        let (needed, overflow) = count.addingReportingOverflow(additional)
        guard !overflow, additional >= 0 else { throw .outOfMemory }
        guard needed > buffer.count else { return }
        var larger = try GuardedBuffer(count: max(needed, min(buffer.count * 2, 1 << 30)))
        larger.copy(from: buffer.bytes.extracting(first: count), at: 0)
        buffer = larger
    }

    /// Appends bytes and says where they stand.
    @discardableResult
    package mutating func append(_ source: RawSpan) throws(SecureMemoryError) -> Range<Int> {
        try reserve(source.byteCount)
        buffer.copy(from: source, at: count)
        let start = count
        count += source.byteCount
        return start..<count
    }

    /// Appends one byte.
    package mutating func append(_ byte: UInt8) throws(SecureMemoryError) {
        try reserve(1)
        buffer.store(byte, at: count)
        count += 1
    }

    /// Appends text that is part of a program, not a secret.
    package mutating func append(literal text: StaticString) throws(SecureMemoryError) {
        let bytes = unsafe RawSpan(_unsafeStart: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        try append(bytes)
    }

    /// Replaces bytes that are already in use.
    package mutating func overwrite(_ source: RawSpan, at offset: Int) {
        precondition(offset >= 0 && source.byteCount <= count - offset, "overwrite out of range")
        buffer.copy(from: source, at: offset)
    }

    /// Wipes everything after a place and gives the room back.
    package mutating func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        for offset in newCount..<count { buffer.store(0, at: offset) }
        count = newCount
    }
}
