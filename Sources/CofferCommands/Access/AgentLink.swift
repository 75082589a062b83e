internal import Coffer
internal import CofferAgent

/// A verb's connection to the agent: asks, and says in the program's own words why there is no answer.
final class AgentLink {
    private var connection: AgentConnection
    /// The vault, for messages.
    private let vault: String?
    private var hasAnswered = false

    /// Connects to an agent that is there and answers.
    ///
    /// - Parameters:
    ///   - location: where the agent listens.
    ///   - anyVersion: whether it may speak another version, and is asked only for what every version knows.
    init(to location: AgentLocation, anyVersion: Bool = false) throws(AgentClientError) {
        if anyVersion {
            connection = try AgentConnection(toAnyVersion: location)
        } else {
            connection = try AgentConnection(to: location)
        }
        vault = nil
    }

    /// Connects, and leaves it to the first question whether the agent answers: so one wait is enough for both.
    ///
    /// - Parameters:
    ///   - location: where the agent listens.
    ///   - vault: the path of the vault that it is about.
    init(asking location: AgentLocation, about vault: String) throws(AgentClientError) {
        connection = try AgentConnection(greeting: location)
        self.vault = vault
    }

    /// How the agent's memory is protected.
    func memory() throws(Failure) -> AgentMemory {
        do throws(AgentClientError) { return try connection.memory() } catch { throw Failure(error) }
    }

    /// An answer that means nothing.
    static let nonsense = Failure(
        .agentUnavailable, "the agent gave an answer that means nothing", hint: "coffer agent stop ends it")

    /// Asks what can be asked again.
    ///
    /// - Throws: `NotUnlocked` before the first answer; a failure when the vault was locked after it, or there is no answer;
    ///   what the vault says.
    func read(_ request: @autoclosure () -> AgentRequest) throws -> AgentReply {
        let reply: AgentReply
        do throws(AgentClientError) { reply = try answer(to: request) } catch {
            guard !hasAnswered else { throw Failure(error) }
            guard connection.isGreeted else { throw AgentAccess.NotUnlocked(reason: Failure(error)) }
            // As if it had been gone before.
            if error == .broken || error.meansNobody { throw AgentAccess.NotUnlocked() }
            throw Failure(error)
        }
        return try judged(reply)
    }

    private func answer(to request: () -> AgentRequest) throws(AgentClientError) -> AgentReply {
        do throws(AgentClientError) { return try connection.exchange(request()) } catch {
            // It ended before its first answer, and by now there may be another.
            guard error == .broken, !hasAnswered else { throw error }
            connection = try AgentConnection(greeting: connection.location)
            return try connection.exchange(request())
        }
    }

    /// Asks for a change, which is made or not when the agent vanishes.
    ///
    /// - Throws: as ``read(_:)``; `outcomeUnknown`.
    func change(_ change: consuming AgentChange) throws -> AgentReply {
        let path = change.path
        let reply: AgentReply
        do throws(AgentClientError) { reply = try connection.exchange(.change(change)) } catch {
            switch error {
            case .broken, .timedOut: throw VaultError.outcomeUnknown(path: path)
            default: throw Failure(error)
            }
        }
        return try judged(reply)
    }

    /// Asks for what is no business of one vault's settings.
    func ask(_ request: consuming AgentRequest) throws(Failure) -> AgentReply {
        do throws(AgentClientError) { return try connection.exchange(request) } catch { throw Failure(error) }
    }

    /// Waits until the agent is gone that was asked to end.
    ///
    /// - Returns: whether it went in time: a save that has begun is brought to its end before.
    func waitForEnd() -> Bool { connection.waitForEnd(timeout: .seconds(20)) }

    private func judged(_ reply: consuming AgentReply) throws -> AgentReply {
        switch consume reply {
        case .failure(let failure):
            // A vault that is locked since an answer is not one for which a passphrase is asked half-way.
            guard failure != .vault(.locked) else {
                guard hasAnswered else { throw AgentAccess.NotUnlocked() }
                let file = vault.map { "the vault \(Escaping.quoted($0))" } ?? "the vault"
                throw Failure(.locked, "\(file) was locked meanwhile; nothing was changed", hint: "coffer unlock")
            }
            hasAnswered = true
            if case .vault(let error) = failure { throw error }
            throw Failure(failure)
        case let reply:
            hasAnswered = true
            return reply
        }
    }
}
