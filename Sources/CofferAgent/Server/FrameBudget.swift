internal import SecureMemory

/// What frames take of the memory that clients may have: those that come in, and the replies that are not read yet.
///
/// It counts whole pages and knows of no connection: whoever has reserved something gives the same back.
package struct FrameBudget: Sendable {
    private let limits: AgentLimits
    /// What is reserved for frames that come in, and for the requests that stand for them.
    package private(set) var incoming = 0
    /// What the replies take that have not gone out to their last byte.
    package private(set) var outgoing = 0

    /// Takes the limits; nothing is reserved yet.
    package init(_ limits: AgentLimits) { self.limits = limits }

    // MARK: Frames that come in

    /// Whether a frame of so many bytes has room whatever the others take.
    package func isSmall(_ count: Int) -> Bool { count <= limits.smallFrame }

    /// Reserves memory for a frame, or for more of one.
    ///
    /// - Parameters:
    ///   - count: the bytes of the frame for which there is to be room, in all.
    ///   - charge: what is reserved for the frame: 0 before the first time. It stays as it is if there is no room.
    /// - Returns: whether there is room.
    package mutating func reserve(_ count: Int, charge: inout Int) -> Bool {
        let footprint = GuardedBuffer.footprint(of: count)
        guard isSmall(count) || incoming - charge + footprint <= limits.incomingBytes else { return false }
        incoming += footprint - charge
        charge = footprint
        return true
    }

    /// Takes back what is reserved for a frame.
    package mutating func discharge(_ charge: inout Int) {
        incoming -= charge
        charge = 0
    }

    // MARK: Replies

    /// Whether a reply may be added that is not small.
    package var hasRoomForReplies: Bool { outgoing < limits.outgoingBytes }

    /// Counts a reply: it is there, so there is room for it.
    package mutating func begin(reply footprint: Int) { outgoing += footprint }

    /// Counts a reply no longer, whose memory is let go of.
    package mutating func end(reply footprint: Int) { outgoing -= footprint }
}
