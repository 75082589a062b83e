internal import SecureMemory

/// A value that is handed to another thread, once; it ends where it is taken, or with this.
final class Handed<Value: ~Copyable & Sendable>: Sendable {
    private let value: PlainMutex<Value?>

    init(_ value: consuming Value) { self.value = PlainMutex(Optional(value)) }

    func take() -> Value? { value.withLock { $0.take() } }

    /// Whether it was taken.
    var isEmpty: Bool {
        value.withLock { value in
            switch value {
            case .some: false
            case .none: true
            }
        }
    }
}

/// What was handed over and not taken yet, so that a lock can take it first.
///
/// It keeps what nobody takes: whoever cannot pass a value on takes it back.
final class HandedList<Value: ~Copyable & Sendable, Mark: Sendable>: Sendable {
    private struct Entry: Sendable {
        let handed: Handed<Value>
        let mark: Mark
    }

    private let entries = PlainMutex<[Entry]>([])

    /// Hands over a value, and remembers it by a mark until it is taken.
    func hand(_ value: consuming Value, _ mark: Mark) -> Handed<Value> {
        let handed = Handed(value)
        entries.withLock { entries in
            entries.removeAll { $0.handed.isEmpty }
            entries.append(Entry(handed: handed, mark: mark))
        }
        return handed
    }

    /// Takes and drops all values whose marks say so.
    func drop(where applies: (Mark) -> Bool) {
        for entry in entries.withLock({ $0 }) where applies(entry.mark) { _ = entry.handed.take() }
    }

    /// Whether nothing waits to be taken.
    var isEmpty: Bool { entries.withLock { $0 }.allSatisfy { $0.handed.isEmpty } }
}
