internal import Coffer
internal import SecureMemory

/// A reply, ready to be sent.
final class OutgoingFrame: Sendable {
    private let arena: GuardedArena
    /// Whether it tells of a vault's contents, so that it must not outlive a lock.
    let holdsContents: Bool

    /// - Returns: nil if there is no memory to say that something was done, or not even to say that there is none.
    init?(_ reply: consuming AgentReply) {
        holdsContents = reply.holdsContents
        let saysDone = reply.saysDone
        if let arena = try? reply.encode() {
            self.arena = arena
        } else if saysDone {
            // A failure would say that nothing was done. When the connection ends, the client knows that it does not know.
            return nil
        } else if let arena = try? AgentReply.failure(.vault(.notEnoughMemory(memoryKiB: nil))).encode() {
            self.arena = arena
        } else {
            return nil
        }
    }

    /// The number of bytes.
    var count: Int { arena.count }

    /// How much memory it takes until the last byte has gone.
    var footprint: Int { GuardedBuffer.footprint(of: arena.capacity) }

    /// Writes what follows an offset.
    func write(to socket: Int32, from offset: Int) -> UnixSocket.Progress {
        Self.write(arena, to: socket, from: offset)
    }

    private static func write(
        _ arena: borrowing GuardedArena, to socket: Int32, from offset: Int
    ) -> UnixSocket.Progress {
        UnixSocket.write(socket, arena.bytes.extracting(offset..<arena.count))
    }
}
