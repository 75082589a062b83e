internal import Coffer
internal import CofferAgent
internal import SecureMemory

/// The connections of a vault to the agent: one is kept for the next question, whoever asks it.
///
/// No lock is held while an answer is waited for: questions that are asked at once have a connection each.
final class AgentConnections: Sendable {
    /// The threads in the closure of an update.
    let updaters = AgentUpdaters()
    private let place: AgentLocation?
    private let kept = PlainMutex<AgentConnection?>(nil)

    /// - Parameter place: where the agent listens; nil for the user's.
    init(to place: AgentLocation?) { self.place = place }

    /// Asks what can be asked again: a connection that was kept may have ended since.
    ///
    /// - Parameter request: makes the question.
    func ask(_ request: () -> AgentRequest) throws(VaultError) -> AgentReply {
        if let connection = kept.withLock({ $0.take() }) {
            do throws(AgentClientError) { return try exchange(request(), on: connection) } catch {
                guard error == .broken else { throw VaultError(error) }
            }
        }
        do throws(AgentClientError) {
            return try exchange(request(), on: try connect())
        } catch {
            throw VaultError(error)
        }
    }

    /// Asks once, on a connection that nobody can have ended before.
    ///
    /// - Throws: `outcomeUnknown` for an answer that did not come.
    func change(_ change: consuming AgentChange) throws(VaultError) -> AgentReply {
        let path = change.path
        var connection: AgentConnection
        do throws(AgentClientError) { connection = try connect() } catch { throw VaultError(error) }
        do throws(AgentClientError) {
            let reply = try connection.exchange(.change(change))
            keep(connection)
            return reply
        } catch {
            guard !connection.isSent else { throw .outcomeUnknown(path: path) }
            throw VaultError(error)
        }
    }

    private func connect() throws(AgentClientError) -> AgentConnection {
        guard let place else { return try AgentConnection(to: try AgentLocation.ofUser()) }
        return try AgentConnection(to: place)
    }

    private func exchange(
        _ request: consuming AgentRequest, on connection: consuming AgentConnection
    ) throws(AgentClientError) -> AgentReply {
        var connection = connection
        let reply = try connection.exchange(request)
        keep(connection)
        return reply
    }

    private func keep(_ connection: consuming AgentConnection) {
        // One that was kept meanwhile by somebody else ends with this call, outside the lock.
        var mine: AgentConnection? = consume connection
        kept.withLock { swap(&$0, &mine) }
    }
}
