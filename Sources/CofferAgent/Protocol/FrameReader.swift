internal import SecureMemory
internal import VaultFile

/// Reads the fields of one frame's body, one after the other; it never looks behind the bytes that came.
struct FrameReader: ~Escapable {
    private let body: RawSpan
    private var offset = 0

    @_lifetime(copy body)
    init(_ body: RawSpan) { self.body = body }

    /// The number of bytes that are left.
    var left: Int { body.byteCount - offset }

    /// Checks that nothing is left.
    func end() throws(AgentProtocolError) {
        guard offset == body.byteCount else { throw .malformed }
    }

    // MARK: Fields

    mutating func byte() throws(AgentProtocolError) -> UInt8 { body[try take(1).lowerBound] }

    mutating func flag() throws(AgentProtocolError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .malformed
        }
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) throws(AgentProtocolError) -> Number {
        body.littleEndian(try take(MemoryLayout<Number>.size).lowerBound, as: type)
    }

    mutating func signed() throws(AgentProtocolError) -> Int64 { Int64(bitPattern: try number(UInt64.self)) }

    mutating func signed32() throws(AgentProtocolError) -> Int32 { Int32(bitPattern: try number(UInt32.self)) }

    /// Where bytes stand in the body.
    mutating func range() throws(AgentProtocolError) -> Range<Int> { try take(Int(try number(UInt32.self))) }

    /// Copies bytes into guarded memory of their own.
    mutating func guarded() throws(AgentProtocolError) -> GuardedBuffer {
        let bytes = body.extracting(try range())
        do throws(SecureMemoryError) { return try GuardedBuffer(copying: bytes) } catch { throw .memory }
    }

    /// Appends bytes to an arena and says where they stand there.
    mutating func append(to arena: inout GuardedArena) throws(AgentProtocolError) -> Range<Int> {
        let bytes = body.extracting(try range())
        do throws(SecureMemoryError) { return try arena.append(bytes) } catch { throw .memory }
    }

    /// Copies bytes that are no secret.
    mutating func plain() throws(AgentProtocolError) -> [UInt8] { body.array(try range()) }

    mutating func text(atMost limit: Int = .max) throws(AgentProtocolError) -> String {
        let range = try range()
        guard range.count <= limit, let text = String(validating: body.array(range), as: UTF8.self) else {
            throw .malformed
        }
        return text
    }

    /// A path that the agent takes.
    mutating func path() throws(AgentProtocolError) -> String {
        let path = try text(atMost: AgentProtocol.maximumPath)
        guard AgentProtocol.isPath(path) else { throw .malformed }
        return path
    }

    mutating func name() throws(AgentProtocolError) -> String { try text(atMost: AgentProtocol.maximumName) }

    mutating func duration() throws(AgentProtocolError) -> Duration {
        let nanoseconds = try signed()
        guard nanoseconds >= 0 else { throw .malformed }
        return .nanoseconds(nanoseconds)
    }

    @_lifetime(self: copy self)
    mutating func optional<Value>(
        _ read: (inout FrameReader) throws(AgentProtocolError) -> Value
    ) throws(AgentProtocolError) -> Value? {
        try flag() ? try read(&self) : nil
    }

    /// Elements one after the other. Each takes a byte at least, so that a large count ends with the bytes.
    @_lifetime(self: copy self)
    mutating func array<Element>(
        atMost limit: Int = .max, _ read: (inout FrameReader) throws(AgentProtocolError) -> Element
    ) throws(AgentProtocolError) -> [Element] {
        let count = Int(try number(UInt32.self))
        guard count <= limit else { throw .malformed }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    private mutating func take(_ count: Int) throws(AgentProtocolError) -> Range<Int> {
        guard count <= body.byteCount - offset else { throw .malformed }
        defer { offset += count }
        return offset..<offset + count
    }
}
