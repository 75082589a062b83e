/// What happens to a vault from the call of ``Vault/events()`` on, one event after another.
///
/// At most 64 events wait for a slow observer. Changes that follow each other are told as one; when a 65th would have to
/// wait, all are dropped for one ``VaultEvent/missed``. The sequence ends when the vault's handle is gone, or the task is
/// cancelled. It holds no secret, and does not keep the handle.
public struct VaultEvents: AsyncSequence, Sendable {
    /// What an observer gets.
    public typealias Element = VaultEvent
    /// The sequence never throws.
    public typealias Failure = Never

    private let mailbox: EventMailbox

    init(_ mailbox: EventMailbox) { self.mailbox = mailbox }

    /// Gives one event after another; two iterators of one sequence share its events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let mailbox: EventMailbox

        init(_ mailbox: EventMailbox) { self.mailbox = mailbox }

        /// Waits for the next event.
        ///
        /// - Returns: the event, or nil when the vault's handle is gone or the task was cancelled.
        public mutating func next() async -> VaultEvent? { await mailbox.next() }

        /// Waits for the next event.
        ///
        /// - Parameter actor: where the caller runs.
        /// - Returns: the event, or nil when the vault's handle is gone or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> VaultEvent? {
            await mailbox.next()
        }
    }

    /// Starts reading.
    ///
    /// - Returns: an iterator.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox) }
}
