/// The settings of a vault as the agent lists them, all of one save.
package struct AgentListing: Sendable {
    /// The save.
    package let generation: UInt64
    /// The settings, in the order of their names.
    package let entries: [AgentEntry]
    /// The present by the agent's clock, in milliseconds since 1970.
    package let now: Int64

    /// Asks page by page.
    ///
    /// - Parameters:
    ///   - name: what is listed comes behind it; nil for everything.
    ///   - isEnough: whether no page is needed behind that with this setting.
    ///   - nonsense: what is thrown for an answer that is none.
    ///   - ask: asks for the page behind a name, and throws for a failure.
    /// - Returns: nil when a save came in between: see ``OneSave``.
    /// - Throws: `nonsense`, and what `ask` throws.
    package static func read<Failure: Error>(
        after name: String? = nil, until isEnough: (AgentEntry) -> Bool = { _ in false },
        orThrow nonsense: @autoclosure () -> Failure, _ ask: (_ after: String?) throws(Failure) -> AgentReply
    ) throws(Failure) -> AgentListing? {
        var generation: UInt64?
        var entries: [AgentEntry] = []
        while true {
            guard case .list(let found, let page, let hasMore, let now) = try ask(entries.last?.name ?? name) else {
                throw nonsense()
            }
            guard generation == nil || generation == found else { return nil }
            generation = found
            entries += page
            if !hasMore || page.contains(where: isEnough) {
                return AgentListing(generation: found, entries: entries, now: now)
            }
            // It would be asked for again and again.
            if page.isEmpty { throw nonsense() }
        }
    }
}
