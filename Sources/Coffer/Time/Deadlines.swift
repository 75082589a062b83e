/// When something stops being valid: a while after its last use, and at a certain age.
package struct Deadlines: Sendable {
    // In nanoseconds; the largest number stands for never.
    private let idle: Int64
    private var idleEnd: Int64
    private let ageEnd: Int64

    /// Begins to count.
    ///
    /// - Parameters:
    ///   - idle: how long it stays valid after a use, or nil for ever. What is 0 or less has passed at once.
    ///   - maximumAge: how long it stays valid at all, or nil for ever.
    ///   - now: when it begins.
    package init(idle: Duration?, maximumAge: Duration?, at now: Int64) {
        self.idle = idle?.nanoseconds ?? .max
        idleEnd = now.addingSaturated(self.idle)
        ageEnd = now.addingSaturated(maximumAge?.nanoseconds ?? .max)
    }

    /// Whether one of the times has come.
    package func hasPassed(at now: Int64) -> Bool { next.map { $0 <= now } ?? false }

    /// Counts a use. What has passed stays so.
    package mutating func use(at now: Int64) {
        guard !hasPassed(at: now) else { return }
        // Of two threads, the one with the later time may come first.
        idleEnd = max(idleEnd, now.addingSaturated(idle))
    }

    /// How long until each of the times comes without another use, in nanoseconds; nil for never.
    package func left(at now: Int64) -> (idle: Int64?, maximumAge: Int64?) {
        (idleEnd == .max ? nil : max(0, idleEnd - now), ageEnd == .max ? nil : max(0, ageEnd - now))
    }

    /// When the next of the times comes without another use, or nil for never.
    package var next: Int64? {
        let next = min(idleEnd, ageEnd)
        return next == .max ? nil : next
    }
}
