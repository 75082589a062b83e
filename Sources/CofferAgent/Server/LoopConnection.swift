/// One client of the loop: it sends a request, waits, reads the reply, and so on.
///
/// It belongs to the loop's thread.
final class LoopConnection {
    let number: UInt64
    let socket: OwnedDescriptor
    var isGreeted = false
    /// Whether the client speaks another version of the protocol.
    var isOfOtherVersion = false

    /// The request on its way in.
    var incoming = IncomingFrame()
    /// What that takes of the loop's memory.
    var charge = 0
    /// A request that has come and waits for its turn.
    var waiting: AgentRequest?
    /// The number of the request that is being answered.
    var request: UInt64?
    /// The reply on its way out, and how much of it has gone.
    private(set) var outgoing: OutgoingFrame?
    private var sent = 0

    /// What was known of the request that was answered last.
    var answered: RequestQueues.Flight?
    /// Whether the connection ends behind the reply.
    var endsAfterReply = false
    /// Whether it stays open until the program is gone, for a client that waits for that.
    var staysToTheEnd = false
    /// When the loop's patience ends; the largest number for never.
    var deadline = Int64.max
    /// When something last moved.
    var lastProgress: Int64

    init(_ socket: consuming OwnedDescriptor, number: UInt64, at now: Int64) {
        self.socket = socket
        self.number = number
        lastProgress = now
    }

    /// Whether the next thing to come is a request.
    var isReading: Bool { outgoing == nil && request == nil && !isWaiting }

    var isWaiting: Bool {
        switch waiting {
        case .some: true
        case .none: false
        }
    }

    /// Whether nothing has begun, so that the client loses nothing when the connection goes.
    var isIdle: Bool { isReading && incoming.isEmpty }

    /// How much of the reply the client has not read.
    var unsent: Int { outgoing.map { $0.count - sent } ?? 0 }

    /// How much memory the reply takes, however little of it is left to send.
    var replyFootprint: Int { outgoing?.footprint ?? 0 }

    /// Whether a part of a vault's contents is on its way out.
    var holdsContents: Bool { outgoing?.holdsContents ?? false }

    func begin(_ frame: OutgoingFrame) { (outgoing, sent) = (frame, 0) }

    /// The epoch of an unlock that waits.
    var waitingUnlock: UInt64? {
        switch waiting {
        case .some(let request): request.unlockEpoch
        case .none: nil
        }
    }

    /// The path of a change that waits.
    var waitingChange: String? {
        switch waiting {
        case .some(let request): request.changePath
        case .none: nil
        }
    }

    func takeWaiting() -> AgentRequest? { waiting.take() }

    /// What a try to send did.
    enum Sent { case all, some, nothing, ended }

    // One client must not keep the others waiting, however fast it reads.
    private static let writesInARow = 16

    /// Sends what the client takes.
    func send() -> Sent {
        guard let outgoing else { return .all }
        var hasMoved = false
        for _ in 0..<Self.writesInARow {
            switch outgoing.write(to: socket.number, from: sent) {
            case .ended: return .ended
            case .none: return hasMoved ? .some : .nothing
            case .some(let count):
                sent += count
                hasMoved = true
            }
            if sent == outgoing.count {
                (self.outgoing, sent) = (nil, 0)
                return .all
            }
        }
        return .some
    }
}
