internal import Coffer
internal import SecureMemory
internal import VaultFile

/// Writes the fields of one frame, one after the other, in guarded memory.
struct FrameWriter: ~Copyable {
    private var arena: GuardedArena

    /// Begins a frame.
    ///
    /// - Parameter expected: how many bytes it will have, about, so that they need not be moved when it grows.
    init(expected: Int = 0) throws(AgentProtocolError) {
        var arena = try Self.arena(capacity: expected)
        // The length, which is known at the end.
        try Self.append([0, 0, 0, 0], to: &arena)
        self.arena = arena
    }

    private static func arena(capacity: Int) throws(AgentProtocolError) -> GuardedArena {
        do throws(SecureMemoryError) {
            return try GuardedArena(capacity: max(capacity + 256, 4_064))
        } catch { throw .memory }
    }

    private static func append(_ bytes: [UInt8], to arena: inout GuardedArena) throws(AgentProtocolError) {
        do throws(SecureMemoryError) { try arena.append(bytes.rawSpan) } catch { throw .memory }
    }

    /// Ends the frame.
    consuming func finish() throws(AgentProtocolError) -> GuardedArena {
        let count = arena.count - AgentProtocol.prefixLength
        guard (1...AgentProtocol.maximumFrame).contains(count) else { throw .tooLarge }
        arena.overwrite(UInt32(count).littleEndianBytes.rawSpan, at: 0)
        return arena
    }

    // MARK: Fields

    mutating func byte(_ byte: UInt8) throws(AgentProtocolError) {
        do throws(SecureMemoryError) { try arena.append(byte) } catch { throw .memory }
    }

    mutating func flag(_ flag: Bool) throws(AgentProtocolError) { try byte(flag ? 1 : 0) }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) throws(AgentProtocolError) {
        for index in 0..<MemoryLayout<Number>.size { try byte(UInt8(truncatingIfNeeded: number >> (index * 8))) }
    }

    mutating func signed(_ number: Int64) throws(AgentProtocolError) { try self.number(UInt64(bitPattern: number)) }

    mutating func signed(_ number: Int32) throws(AgentProtocolError) { try self.number(UInt32(bitPattern: number)) }

    mutating func count(_ count: Int) throws(AgentProtocolError) {
        guard let count = UInt32(exactly: count) else { throw .tooLarge }
        try number(count)
    }

    mutating func bytes(_ bytes: RawSpan) throws(AgentProtocolError) {
        guard bytes.byteCount <= AgentProtocol.maximumFrame else { throw .tooLarge }
        try count(bytes.byteCount)
        do throws(SecureMemoryError) { try arena.append(bytes) } catch { throw .memory }
    }

    mutating func text(_ text: String, atMost limit: Int = AgentProtocol.maximumFrame) throws(AgentProtocolError) {
        let utf8 = Array(text.utf8)
        guard utf8.count <= limit else { throw .tooLarge }
        try bytes(utf8.rawSpan)
    }

    mutating func path(_ path: String) throws(AgentProtocolError) {
        try text(path, atMost: AgentProtocol.maximumPath)
    }

    mutating func name(_ name: String) throws(AgentProtocolError) {
        try text(name, atMost: AgentProtocol.maximumName)
    }

    /// A time from now on, in nanoseconds; what is negative is none.
    mutating func duration(_ duration: Duration) throws(AgentProtocolError) { try signed(duration.nanoseconds) }

    mutating func optional<Value>(
        _ value: Value?, _ write: (inout FrameWriter, Value) throws(AgentProtocolError) -> Void
    ) throws(AgentProtocolError) {
        try flag(value != nil)
        if let value { try write(&self, value) }
    }

    mutating func array<Element>(
        _ elements: [Element], _ write: (inout FrameWriter, Element) throws(AgentProtocolError) -> Void
    ) throws(AgentProtocolError) {
        try count(elements.count)
        for element in elements { try write(&self, element) }
    }
}
