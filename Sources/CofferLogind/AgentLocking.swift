internal import CofferAgent

/// Has the agent lock every vault.
struct AgentLocking {
    let location: AgentLocation

    // Less than a machine that is about to sleep waits.
    private static let patience = Duration.seconds(2)

    /// Locks every vault. Without an agent there is nothing to lock.
    ///
    /// - Parameter reason: why, for a message if it does not succeed.
    func lockAll(because reason: String) {
        do throws(AgentClientError) {
            var connection = try AgentConnection(to: location, timeout: Self.patience)
            let reply = try connection.exchange(.lock(path: nil), timeout: Self.patience)
            guard case .done = reply else { throw .broken }
        } catch .noAgent {
            return
        } catch {
            Messages.say("could not lock, when \(reason): \(Self.text(error))")
        }
    }

    /// What a failure is in words.
    static func text(_ error: AgentClientError) -> String {
        switch error {
        case .noAgent(let path, let errno): "no agent at \(path) (error \(errno))"
        case .foreignAgent(let path, let reason): "\(path): \(reason)"
        case .version(let version): "the agent speaks version \(version) of the protocol, this program another"
        case .broken: "the agent gave no proper answer"
        case .timedOut: "the agent gave no answer in time"
        case .tooLarge: "there was no memory for the request"
        }
    }
}
