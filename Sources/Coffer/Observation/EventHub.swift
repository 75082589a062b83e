internal import SecureMemory

/// Those who observe a vault. It keeps none of them: an observer that nobody reads any more is forgotten.
final class EventHub: Sendable {
    private struct Observer {
        weak let mailbox: EventMailbox?
    }

    private let observers = PlainMutex<[Observer]>([])

    deinit { for observer in current { observer.finish() } }

    private var current: [EventMailbox] { observers.withLock { $0.compactMap(\.mailbox) } }

    /// Whether anybody observes.
    var isObserved: Bool { !current.isEmpty }

    /// Adds an observer.
    func subscribe() -> EventMailbox {
        let mailbox = EventMailbox()
        observers.withLock { observers in
            observers.removeAll { $0.mailbox == nil }
            observers.append(Observer(mailbox: mailbox))
        }
        return mailbox
    }

    /// Adds an event for all observers, in the order of the calls; whoever calls holds the lock that makes that order.
    func add(_ event: VaultEvent) { for observer in current { observer.add(event) } }

    /// Wakes the observers that have waited for an event; called without a lock.
    func deliver() { for observer in current { observer.deliver() } }
}
