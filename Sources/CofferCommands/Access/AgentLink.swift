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
    /// - Throws: `NotUnlocked` before the first answer, also for a passphrase that was changed; a failure when the vault was locked after it, or there is no answer;
    ///   what the vault says.
    func read(_ request: @autoclosure () -> AgentRequest) throws -> AgentReply {
        let reply: AgentReply
        do throws(AgentClientError) { reply = try answer(to: request) } catch { throw failure(of: error) }
        return try judged(reply, isRead: true)
    }

    private func answer(to request: () -> AgentRequest) throws(AgentClientError) -> AgentReply {
        do throws(AgentClientError) { return try connection.exchange(request()) } catch {
            // It ended before its first answer, and by now there may be another.
            guard error == .broken, !hasAnswered else { throw error }
            connection = try AgentConnection(greeting: connection.location)
            return try connection.exchange(request())
        }
    }

    /// What a question without an answer means, of which nothing is done.
    private func failure(of error: AgentClientError) -> any Error {
        switch error {
        case .tooLarge, .noMemory: return Failure(error)
        case .broken, .timedOut, .version, .noAgent, .foreignAgent: break
        }
        guard !hasAnswered else { return Failure(error) }
        guard connection.isGreeted else { return AgentAccess.NotUnlocked(reason: Failure(error)) }
        // As if it had been gone before.
        return error == .broken || error.meansNobody ? AgentAccess.NotUnlocked() : Failure(error)
    }

    /// Asks for a change, which is made or not when the agent vanishes after it was sent.
    ///
    /// - Parameters:
    ///   - path: of the vault.
    ///   - change: makes the change; again when the agent ended before it had all of it.
    /// - Throws: as ``read(_:)``; `outcomeUnknown`.
    func change(of path: String, _ change: () throws -> AgentChange) throws -> AgentReply {
        let reply: AgentReply
        do { reply = try answer(to: change) } catch let error as AgentClientError {
            guard !connection.isSent else { throw VaultError.outcomeUnknown(path: path) }
            // More than it takes is refused only by an agent that has the vault unlocked.
            if error == .tooLarge { _ = try read(.details(path: path)) }
            let failure = failure(of: error)
            throw (failure as? Failure)?.changingNothing ?? failure
        }
        return try judged(reply, isRead: false)
    }

    private func answer(to change: () throws -> AgentChange) throws -> AgentReply {
        do { return try connection.exchange(.change(try change())) } catch AgentClientError.broken
            where !connection.isSent
        {
            // It ended while somebody thought about a value, or before it greeted.
            connection = try AgentConnection(greeting: connection.location)
            return try connection.exchange(.change(try change()))
        }
    }

    /// Hands over a key.
    ///
    /// - Returns: the answer, or nothing when there is none and the agent may use the key all the same.
    func handOver(_ unlock: consuming AgentUnlock) throws(Failure) -> AgentReply? {
        do throws(AgentClientError) { return try connection.exchange(.unlock(unlock)) } catch {
            guard connection.isSent else { throw Failure(error) }
            return nil
        }
    }

    /// Asks for what is no business of one vault's settings.
    func ask(_ request: consuming AgentRequest) throws(Failure) -> AgentReply {
        do throws(AgentClientError) { return try connection.exchange(request) } catch { throw Failure(error) }
    }

    /// Waits until the agent is gone that was asked to end.
    ///
    /// - Returns: whether it went in time: a save that has begun is brought to its end before.
    func waitForEnd() -> Bool { connection.waitForEnd(timeout: .seconds(20)) }

    private func judged(_ reply: consuming AgentReply, isRead: Bool) throws -> AgentReply {
        switch consume reply {
        case .failure(let failure):
            if isRead, !hasAnswered, failure == .vault(.conflict) {
                throw AgentAccess.NotUnlocked(reason: .passphraseChanged(file))
            }
            // A vault that is locked since an answer is not one for which a passphrase is asked half-way.
            guard failure != .vault(.locked) else {
                guard hasAnswered else { throw AgentAccess.NotUnlocked() }
                throw Failure(.locked, "\(file) was locked meanwhile; nothing was changed", hint: "coffer unlock")
            }
            hasAnswered = true
            switch failure {
            case .vault(let error): throw error
            // The verb says it in its own words.
            case .refused: throw ChangeSteps.Refusal(failure: failure)
            default: throw Failure(failure)
            }
        case let reply:
            hasAnswered = true
            return reply
        }
    }

    /// The vault in a message.
    private var file: String { vault.map { "the vault \(Escaping.quoted($0))" } ?? "the vault" }
}

extension Failure {
    fileprivate static func passphraseChanged(_ vault: String) -> Failure {
        Failure(
            .locked, "the passphrase of \(vault) was changed, so the agent has locked it",
            hint: "coffer unlock asks for the new one")
    }

    /// The same where it is about a change that was not begun.
    fileprivate var changingNothing: Failure {
        Failure(code, "\(message); nothing was changed", hint: hint)
    }
}
