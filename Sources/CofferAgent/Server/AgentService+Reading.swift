internal import Coffer
internal import PropertyLists
internal import SecureMemory
internal import VaultFile

// What is told of a vault's contents. Each of them counts as a use.
extension AgentService {
    /// One value, put together in guarded memory as a list of its own.
    func value(of name: String, in path: String, _ reply: @escaping Reply) {
        read(path, reply) { (vault) throws(VaultError) in
            try vault.withValueOfSave(of: name) { (reader, object, generation) throws(VaultError) -> AgentReply in
                guard let object else { return .value(generation: generation, list: nil) }
                return .value(generation: generation, list: try Self.list(of: object, in: reader))
            }
        }
    }

    private static func list(of object: Int, in reader: PropertyListReader) throws(VaultError) -> GuardedBuffer {
        do throws(PropertyListError) {
            var builder = try PropertyListBuilder()
            try builder.copy(object, of: reader)
            return try builder.finish()
        } catch {
            throw VaultError(error, path: "")
        }
    }

    /// One page of names, with what their values are and when they last changed.
    func list(_ path: String, after name: String?, _ reply: @escaping Reply) {
        read(path, reply) { (vault) throws(VaultError) in
            let page = try vault.page(after: name, bytes: AgentProtocol.pageBytes)
            return .list(
                generation: page.generation,
                entries: page.settings.map { AgentEntry(name: $0.name, kind: $0.kind, modified: $0.modified) },
                hasMore: page.hasMore, now: page.now)
        }
    }

    /// What the contents say of themselves.
    func details(of path: String, _ reply: @escaping Reply) {
        read(path, reply) { (vault) throws(VaultError) in
            let summary = try vault.summary()
            return .details(
                AgentDetails(
                    generation: summary.generation, vaultID: summary.vaultID, check: summary.check,
                    numbers: summary.numbers))
        }
    }
}
