internal import SecureMemory
package import VaultFile

/// Where other threads put their answers, and what wakes the loop for them.
package final class LoopMailbox: Sendable {
    /// The answer to one request.
    struct Answer: Sendable {
        let request: UInt64
        /// The frame to send; nil when the request was dropped without an answer.
        var frame: OutgoingFrame?
    }

    private struct State: Sendable {
        var answers: [Answer] = []
        /// Whether the loop looks here before it waits again, so that nothing need wake it.
        var isAwake = true
        /// Whether the loop is to end.
        var isEndAsked = false
    }

    private let state = PlainMutex(State())
    private let wakeUp: WakeDescriptor

    /// Makes a mailbox whose loop is awake.
    ///
    /// - Throws: why the system gives no descriptor to wake it with.
    package init() throws(Errno) { wakeUp = try WakeDescriptor() }

    /// What becomes readable when something was put here while the loop waited.
    package var descriptor: Int32 { wakeUp.descriptor }

    func post(_ answer: Answer) { wake { $0.answers.append(answer) } }

    /// Has the loop end, as a request to end does.
    package func askForEnd() { wake { $0.isEndAsked = true } }

    /// Takes the wish that the loop end.
    ///
    /// - Returns: whether somebody had it since the last call.
    package func takeEnd() -> Bool {
        state.withLock { state in
            defer { state.isEndAsked = false }
            return state.isEndAsked
        }
    }

    private func wake(_ body: (inout State) -> Void) {
        let wasAwake = state.withLock { state in
            defer { state.isAwake = true }
            body(&state)
            return state.isAwake
        }
        if !wasAwake { wakeUp.signal() }
    }

    /// Takes what is there.
    func take() -> [Answer] {
        state.withLock { state in
            defer { state.answers = [] }
            state.isAwake = true
            return state.answers
        }
    }

    /// The loop is about to wait.
    ///
    /// - Returns: false if there is something to take first.
    package func fallAsleep() -> Bool {
        state.withLock { state in
            // Whatever came while the loop was awake has woken nobody.
            guard state.answers.isEmpty, !state.isEndAsked else { return false }
            state.isAwake = false
            return true
        }
    }

    /// Takes back that the descriptor is readable.
    func acknowledge() { wakeUp.acknowledge() }
}
