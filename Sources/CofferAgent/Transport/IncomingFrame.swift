internal import SecureMemory
internal import VaultFile

/// One frame on its way in. Its memory grows with the bytes that came, whatever the length before them says.
struct IncomingFrame: ~Copyable, Sendable {
    /// What came of it by now.
    enum State: Equatable {
        /// All of it.
        case complete
        /// Some of it, or nothing.
        case partial
        /// The connection ended.
        case ended
        /// Its length is none that a frame has.
        case malformed
        /// There is no room for more of it.
        case noRoom
    }

    // One connection must not keep the others waiting, however fast it writes.
    private static let readsInARow = 16
    private static let firstRoom = 4_064

    private var prefix: [UInt8] = []
    private var length = 0
    private var buffer: GuardedBuffer?
    private var count = 0
    /// How much memory it takes.
    private(set) var room = 0

    init() {}

    /// Whether nothing of a frame has come yet.
    var isEmpty: Bool { prefix.isEmpty }

    /// Reads what there is.
    ///
    /// - Parameters:
    ///   - socket: never blocks.
    ///   - allows: whether the frame may take so much memory in all.
    mutating func receive(from socket: Int32, allows: (Int) -> Bool = { _ in true }) -> State {
        for _ in 0..<Self.readsInARow {
            if prefix.count < AgentProtocol.prefixLength {
                switch UnixSocket.read(socket, into: &prefix) {
                case .none: return .partial
                case .ended: return .ended
                case .some: break
                }
                guard prefix.count == AgentProtocol.prefixLength else { continue }
                let announced = prefix.rawSpan.littleEndian(0, as: UInt32.self)
                guard (1...UInt32(AgentProtocol.maximumFrame)).contains(announced) else { return .malformed }
                length = Int(announced)
            }
            if count == room, !grow(allows) { return .noRoom }
            switch fill(from: socket) {
            case .none: return .partial
            case .ended: return .ended
            case .some(let more): count += more
            }
            if count == length { return .complete }
        }
        return .partial
    }

    /// Lends the body of a frame that is complete.
    borrowing func withBody<Result: ~Copyable>(
        _ body: (RawSpan) throws(AgentProtocolError) -> Result
    ) throws(AgentProtocolError) -> Result {
        guard count == length, buffer != nil else { throw .malformed }
        // Its memory has grown to the length and no further.
        switch buffer {
        case .some(let buffer): return try body(buffer.bytes)
        case .none: throw .malformed
        }
    }

    private mutating func grow(_ allows: (Int) -> Bool) -> Bool {
        let wanted = min(length, max(Self.firstRoom, room * 4))
        guard allows(wanted), var larger = try? GuardedBuffer(count: wanted) else { return false }
        if let old = buffer.take() { larger.copy(from: old.bytes, at: 0) }
        buffer = consume larger
        room = wanted
        return true
    }

    private mutating func fill(from socket: Int32) -> UnixSocket.Progress {
        guard var current = buffer.take() else { return .ended }
        let progress = UnixSocket.read(socket, into: &current, range: count..<current.count)
        buffer = consume current
        return progress
    }
}
