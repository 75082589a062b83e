internal import SecureMemory

/// The right to answer one request, once. Dropped unused, it ends the connection, so that nobody waits for ever.
final class ReplyTicket: Sendable {
    private let mailbox: LoopMailbox
    private let request: UInt64
    private let isUsed = PlainMutex(false)

    init(_ mailbox: LoopMailbox, request: UInt64) {
        self.mailbox = mailbox
        self.request = request
    }

    deinit { if takeRight() { mailbox.post(LoopMailbox.Answer(request: request, frame: nil)) } }

    func answer(_ reply: consuming AgentReply) {
        guard takeRight() else { return }
        mailbox.post(LoopMailbox.Answer(request: request, frame: OutgoingFrame(reply)))
    }

    private func takeRight() -> Bool {
        isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
    }
}
