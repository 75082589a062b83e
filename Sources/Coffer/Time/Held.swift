/// A value that is valid until its deadlines: an entry of a cache, the key of a vault, its decrypted copy.
package struct Held<Value: Sendable>: Sendable {
    /// The value, whether or not its time has passed: to change it or to let it go.
    package var content: Value
    /// When it stops being valid.
    package private(set) var deadlines: Deadlines

    /// Holds a value until its deadlines.
    package init(_ value: Value, until deadlines: Deadlines) {
        content = value
        self.deadlines = deadlines
    }

    /// The value, or nil when its time has passed. This counts as a use.
    package mutating func use(at now: Int64) -> Value? {
        deadlines.use(at: now)
        return value(at: now)
    }

    /// The value, or nil when its time has passed. This does not count as a use.
    package func value(at now: Int64) -> Value? { deadlines.hasPassed(at: now) ? nil : content }
}
