package import SecureMemory

/// What a client asks of the agent.
package enum AgentRequest: ~Copyable, Sendable {
    /// The first of each connection: the version that the client speaks.
    case hello(version: UInt32)
    /// Tells of every vault that is held. It extends no deadline.
    case status
    /// Asks for a vault's lock epoch, which an unlock must name.
    case epoch(path: String)
    /// Hands over a key.
    case unlock(AgentUnlock)
    /// Locks a vault, or all of them without a path.
    case lock(path: String?)
    /// Asks for the value of one setting.
    case value(path: String, name: String)
    /// Asks for the names behind one, in the order of their bytes: one page.
    case list(path: String, after: String?)
    /// Changes settings in one save.
    case change(AgentChange)
    /// Asks for what is told of a vault only with its passphrase.
    case details(path: String)
    /// Ends the agent.
    case stop
}

/// A key that is handed to the agent, and for how long.
package struct AgentUnlock: ~Copyable, Sendable {
    /// The vault's file.
    package let path: String
    /// The lock epoch that the agent named before the passphrase was asked for: a lock since then wins.
    package let epoch: UInt64
    /// The 32 bytes that the passphrase was derived to.
    package var key: GuardedBuffer
    /// How long the vault stays unlocked after its last use; nil for ever.
    package let idle: Duration?
    /// How long the vault stays unlocked at all; nil for ever.
    package let maximumAge: Duration?
    /// Whether a file is taken that does not follow what was seen before.
    package let acceptsUnexpected: Bool

    /// Takes over a key.
    package init(
        path: String, epoch: UInt64, key: consuming GuardedBuffer, idle: Duration?, maximumAge: Duration?,
        acceptsUnexpected: Bool = false
    ) {
        self.path = path
        self.epoch = epoch
        self.key = key
        self.idle = idle
        self.maximumAge = maximumAge
        self.acceptsUnexpected = acceptsUnexpected
    }
}

/// One step of a change.
package enum AgentStep: Equatable, Sendable {
    /// A setting gets a value: a canonical list in the change's values, whose root it is.
    case set(name: String, value: Range<Int>, replaces: Bool)
    /// A setting goes away, and without `undoable` what an undo would bring back. One of both must be there, unless it may
    /// be absent.
    case remove(name: String, undoable: Bool, mayBeAbsent: Bool)
    /// A setting gets another name.
    case rename(from: String, to: String, replaces: Bool)
    /// The last change of a setting is taken back.
    case undo(name: String)
}

/// Changes of one save: all of them or none.
package struct AgentChange: ~Copyable, Sendable {
    /// The vault's file.
    package let path: String
    /// The generation that must be the newest, if the client read something that the change rests on.
    package let expected: UInt64?
    /// What to do, in order.
    package let steps: [AgentStep]
    /// The values of the steps.
    package let values: GuardedArena

    /// Takes over steps and their values.
    package init(path: String, expected: UInt64?, steps: [AgentStep], values: consuming GuardedArena) {
        self.path = path
        self.expected = expected
        self.steps = steps
        self.values = values
    }
}

extension AgentRequest {
    /// Whether an agent of any version takes it, once it has answered a greeting.
    package var isOfEveryVersion: Bool {
        switch self {
        case .lock(nil): true
        case .stop: true
        default: false
        }
    }

    /// Whether a key or values go with it.
    package var carriesSecrets: Bool {
        switch self {
        case .unlock: true
        case .change: true
        default: false
        }
    }
}
