internal import CofferAgent

/// Has the agent lock every vault.
struct AgentLocking {
    let location: AgentLocation

    // How long one attempt may take, and how long after a failure the next one begins, in milliseconds.
    private static let patience = Duration.milliseconds(1_500)
    private static let pause: UInt32 = 100

    /// How an attempt ended.
    private enum Outcome {
        case done
        case failed(AgentClientError, isFinal: Bool)
    }

    /// Locks every vault. Without an agent there is nothing to lock.
    ///
    /// - Parameters:
    ///   - reason: why, for a message if it does not succeed; nil if that was said before.
    ///   - deadline: until when it is tried again. It is tried once in any case.
    /// - Returns: false if another attempt may succeed.
    @discardableResult
    func lockAll(because reason: String?, until deadline: Int64) -> Bool {
        while true {
            let left = deadline - MonotonicTime.now
            guard case .failed(let error, let isFinal) = attempt(within: left) else { return true }
            if !isFinal, MonotonicTime.now + Int64(Self.pause) * 1_000_000 < deadline {
                ThisProcess.pause(milliseconds: Self.pause)
                continue
            }
            if let reason { Messages.say("could not lock, when \(reason): \(Self.text(error))") }
            return isFinal
        }
    }

    private func attempt(within nanoseconds: Int64) -> Outcome {
        // One deadline for the connection and the answer. A deadline that has passed leaves time for an agent that lives.
        let patience = max(min(Self.patience, .nanoseconds(nanoseconds)), .milliseconds(200))
        let deadline = MonotonicTime.deadline(after: patience)
        do throws(AgentClientError) {
            var connection = try AgentConnection(toAnyVersion: location, timeout: patience)
            let left = Duration.nanoseconds(max(deadline - MonotonicTime.now, 0))
            guard case .done = try connection.exchange(.lock(path: nil), timeout: left) else { throw .broken }
            return .done
        } catch {
            if error.meansNobody { return .done }
            return switch error {
            case .noAgent, .broken, .timedOut, .tooLarge, .noMemory: .failed(error, isFinal: false)
            case .foreignAgent, .version: .failed(error, isFinal: true)
            }
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
        case .tooLarge: "the request is more than the agent takes"
        case .noMemory: "there was no memory for the request"
        }
    }
}
