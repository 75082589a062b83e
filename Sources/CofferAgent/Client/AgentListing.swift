internal import PropertyLists

/// The settings of a vault as the agent lists them, all of one save.
package struct AgentListing: Sendable {
    /// The save.
    package let generation: UInt64
    /// The settings, in the order of their names.
    package let entries: [AgentEntry]
    /// The present by the agent's clock, in milliseconds since 1970.
    package let now: Int64

    /// The most bytes of names: a character that takes three here may take two in the list of a vault.
    private static let mostBytes = PropertyListLimits.bytes / 2 * 3

    /// Asks page by page.
    ///
    /// - Parameters:
    ///   - name: what is listed comes behind it; nil for everything.
    ///   - isEnough: whether no page is needed behind that with this setting.
    ///   - nonsense: what is thrown for an answer that is none: names out of order, or more than a vault holds.
    ///   - ask: asks for the page behind a name, and throws for a failure.
    /// - Returns: nil when a save came in between: see ``OneSave``.
    /// - Throws: `nonsense`, and what `ask` throws.
    package static func read<Failure: Error>(
        after name: String? = nil, until isEnough: (AgentEntry) -> Bool = { _ in false },
        orThrow nonsense: @autoclosure () -> Failure, _ ask: (_ after: String?) throws(Failure) -> AgentReply
    ) throws(Failure) -> AgentListing? {
        var generation: UInt64?
        var entries: [AgentEntry] = []
        var (last, size) = (name.map { Array($0.utf8) }, 0)
        while true {
            guard case .list(let found, let page, let hasMore, let now) = try ask(entries.last?.name ?? name) else {
                throw nonsense()
            }
            guard generation == nil || generation == found else { return nil }
            generation = found
            // Pages that repeat names, or have more of them than a vault, would be asked for without an end.
            for entry in page {
                let next = Array(entry.name.utf8)
                size += next.count
                let isNext = last.map { $0.lexicographicallyPrecedes(next) } ?? true
                guard isNext, size <= Self.mostBytes else { throw nonsense() }
                last = next
            }
            entries += page
            if !hasMore || page.contains(where: isEnough) {
                return AgentListing(generation: found, entries: entries, now: now)
            }
            if page.isEmpty { throw nonsense() }
        }
    }
}
