internal import Coffer
internal import CofferAgent
internal import PropertyLists
internal import SecureMemory

/// One vault as the agent is asked for it.
struct AgentQuestions: Sendable {
    // One more save in between each time is no life for a vault.
    static let attempts = 16

    let connections: AgentConnections
    /// The vault's file, as an absolute path.
    let path: String

    /// - Throws: `refused` for a path that the agent does not take.
    init(_ connections: AgentConnections, path: String) throws(VaultError) {
        guard !path.utf8.contains(0), path.utf8.count <= AgentProtocol.maximumPath else {
            throw .refused(reason: "the path of the vault is too long, or ends in its middle")
        }
        self.connections = connections
        self.path = path
    }

    /// A setting's value with the generation that it is of; without a value if there is no such setting.
    func value(of name: String) throws(VaultError) -> (generation: UInt64, value: AgentValue?) {
        try Self.check(name)
        switch try connections.ask({ .value(path: path, name: name) }) {
        case .value(let generation, .some(let list)): return (generation, try AgentValue(list))
        case .value(let generation, .none): return (generation, nil)
        case .failure(let failure): throw VaultError(failure)
        default: throw .nonsense
        }
    }

    /// All settings behind a name, up to the first for which `isEnough` is true, all of one save.
    func settings(
        after name: String? = nil, until isEnough: (AgentEntry) -> Bool = { _ in false }
    ) throws(VaultError) -> [AgentEntry] {
        if let name { try Self.check(name) }
        for _ in 0..<Self.attempts {
            if let entries = try oneListing(after: name, until: isEnough) { return entries }
        }
        throw .outrun
    }

    /// Page by page, or nothing when a save came in between.
    private func oneListing(
        after name: String?, until isEnough: (AgentEntry) -> Bool
    ) throws(VaultError) -> [AgentEntry]? {
        var generation: UInt64?
        var entries: [AgentEntry] = []
        while true {
            let last = entries.last?.name ?? name
            let (found, page, hasMore) = try self.page(after: last)
            guard generation == nil || generation == found else { return nil }
            generation = found
            entries += page
            if !hasMore || page.contains(where: isEnough) { return entries }
            if page.isEmpty { throw .nonsense }
        }
    }

    private func page(
        after name: String?
    ) throws(VaultError) -> (generation: UInt64, entries: [AgentEntry], hasMore: Bool) {
        switch try connections.ask({ .list(path: path, after: name) }) {
        case .list(let generation, let entries, let hasMore, _): return (generation, entries, hasMore)
        case .failure(let failure): throw VaultError(failure)
        default: throw .nonsense
        }
    }

    /// Refuses a name that is too long to be asked for. What a vault refuses besides, it says itself.
    static func check(_ name: String) throws(VaultError) {
        guard name.utf8.count <= AgentProtocol.maximumName else {
            throw .limitExceeded(field: "name", value: UInt64(name.utf8.count), bound: UInt64(NameRule.longestName))
        }
    }
}
