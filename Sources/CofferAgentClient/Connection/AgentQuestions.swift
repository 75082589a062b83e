internal import Coffer
internal import CofferAgent
internal import PropertyLists
internal import SecureMemory

/// One vault as the agent is asked for it.
struct AgentQuestions: Sendable {
    let connections: AgentConnections
    /// The vault's file, as an absolute path.
    let path: String

    /// - Throws: `refused` for a path that the agent does not take.
    init(_ connections: AgentConnections, path: String) throws(VaultError) {
        guard AgentProtocol.isPath(path) else {
            throw .refused(reason: "the path of the vault is too long, or ends in its middle")
        }
        self.connections = connections
        self.path = path
    }

    /// A setting's value with the generation that it is of; without a value if there is no such setting.
    func value(of name: String) throws(VaultError) -> (generation: UInt64, value: AgentValue?) {
        try Self.check(name)
        switch try connections.ask({ .value(path: path, name: name) }) {
        case .value(let generation, .some(let list)):
            do throws(AgentAnswerError) { return (generation, try AgentValue(list)) } catch { throw VaultError(error) }
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
        let listing = try OneSave.read(orThrow: VaultError.outrun) { () throws(VaultError) in
            try AgentListing.read(after: name, until: isEnough, orThrow: VaultError.nonsense, page)
        }
        return listing.entries
    }

    private func page(after name: String?) throws(VaultError) -> AgentReply {
        switch try connections.ask({ .list(path: path, after: name) }) {
        case .failure(let failure): throw VaultError(failure)
        case let reply: return reply
        }
    }

    /// Refuses a name that is too long to be asked for. What a vault refuses besides, it says itself.
    static func check(_ name: String) throws(VaultError) {
        guard name.utf8.count <= AgentProtocol.maximumName else {
            throw .limitExceeded(field: "name", value: UInt64(name.utf8.count), bound: UInt64(NameRule.longestName))
        }
    }
}
