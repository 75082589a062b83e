internal import Coffer
internal import CofferAgent
internal import SecureMemory

/// What an update has read of the vault: all of one save, and each value asked for once.
final class AgentBase: Sendable {
    private struct State: Sendable {
        var generation: UInt64?
        var values: [SettingName: AgentValue?] = [:]
        var isOutdated = false
    }

    private let questions: AgentQuestions
    private let state = PlainMutex(State())
    private let process = ProcessToken.current

    init(_ questions: AgentQuestions) { self.questions = questions }

    /// The vault's file, as an absolute path.
    var path: String { questions.path }

    /// The save that everything is of that was read; nil if nothing was.
    var generation: UInt64? { state.withLock { $0.generation } }

    /// Whether another save came between two reads, so that nothing is to be made of them.
    var isOutdated: Bool { state.withLock { $0.isOutdated } }

    /// The value of a setting, or nil if there is none.
    ///
    /// - Throws: `locked` in a child that was forked in the closure: the connection is its parent's, and so may be the lock.
    func value(of name: String) throws(VaultError) -> AgentValue? {
        guard process == ProcessToken.current else { throw .locked }
        let key = SettingName(name)
        if let known = state.withLock({ $0.values[key] }) { return known }
        let (generation, value) = try questions.value(of: name)
        let isOfThisSave = state.withLock { state in
            let isOfThisSave = state.generation == nil || state.generation == generation
            if isOfThisSave { state.values.updateValue(value, forKey: key) } else { state.isOutdated = true }
            state.generation = state.generation ?? generation
            return isOfThisSave
        }
        guard isOfThisSave else { throw .outrun }
        return value
    }
}
