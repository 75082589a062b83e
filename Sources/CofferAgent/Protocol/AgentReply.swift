package import Coffer
package import PropertyLists
package import SecureMemory
package import VaultFile

/// What the agent answers. No reply carries a key.
///
/// Of a request, a failure names the path and the setting's name that the client itself gave, never a value.
package enum AgentReply: ~Copyable, Sendable {
    /// The version that the agent speaks, and how its memory is protected.
    case hello(version: UInt32, memory: AgentMemory)
    /// It is done, and there is nothing to say.
    case done
    /// Every vault that is held.
    case status([AgentVaultStatus])
    /// A vault's lock epoch.
    case epoch(UInt64)
    /// A value, as a canonical list whose root it is, of one save; nil where there is no such setting.
    case value(generation: UInt64, list: GuardedBuffer?)
    /// One page of settings, of one save, and the present in milliseconds since 1970.
    case list(generation: UInt64, entries: [AgentEntry], hasMore: Bool, now: Int64)
    /// A change is saved: the new generation, what was there before each step, and what the save found.
    case changed(generation: UInt64, outcomes: [AgentOutcome], warnings: [VaultWarning])
    /// What is told only with the passphrase.
    case details(AgentDetails)
    /// It is not done.
    case failure(AgentFailure)

    /// Whether it tells of a vault's contents.
    var holdsContents: Bool {
        switch self {
        case .value: true
        case .list: true
        case .details: true
        default: false
        }
    }

    /// Whether it says that something was done, which was not undone if this cannot be said.
    var saysDone: Bool {
        switch self {
        case .done: true
        case .changed: true
        default: false
        }
    }
}

/// How the memory of the agent is protected.
package struct AgentMemory: Equatable, Sendable {
    /// Whether one page could be locked when the agent started. Of a vault's own pages its status tells.
    package let isLocked: Bool
    /// Whether a forked child finds zeros.
    package let isWipedOnFork: Bool
    /// Whether some library binds symbols at first use.
    package let bindsLazily: Bool
    /// What the system refused of the protection of the process.
    package let refusals: ProcessHardening.Refusals

    /// Takes what was found.
    package init(isLocked: Bool, isWipedOnFork: Bool, bindsLazily: Bool, refusals: ProcessHardening.Refusals) {
        self.isLocked = isLocked
        self.isWipedOnFork = isWipedOnFork
        self.bindsLazily = bindsLazily
        self.refusals = refusals
    }
}

/// The state of a vault that the agent holds.
package struct AgentVaultStatus: Equatable, Sendable {
    /// The vault's file, links resolved.
    package let path: String
    /// What is held of it.
    package let lockState: LockState
    /// How long until it locks if nobody uses it; nil for ever.
    package let idleLeft: Duration?
    /// How long until it locks in any case; nil for ever.
    package let maximumLeft: Duration?
    /// Whether its memory is locked, so that it is not swapped out.
    package let isMemoryLocked: Bool
    /// What its owner should know.
    package let warnings: [VaultWarning]

    /// Takes what was found.
    package init(
        path: String, lockState: LockState, idleLeft: Duration?, maximumLeft: Duration?, isMemoryLocked: Bool,
        warnings: [VaultWarning]
    ) {
        self.path = path
        self.lockState = lockState
        self.idleLeft = idleLeft
        self.maximumLeft = maximumLeft
        self.isMemoryLocked = isMemoryLocked
        self.warnings = warnings
    }
}

/// One setting of a list, without its value.
package struct AgentEntry: Equatable, Sendable {
    /// The setting's name.
    package let name: String
    /// What its value is.
    package let kind: PropertyListKind
    /// When it last got another value, in milliseconds since 1970; nil when that is not known.
    package let modified: Int64?

    /// Takes what was found.
    package init(name: String, kind: PropertyListKind, modified: Int64?) {
        self.name = name
        self.kind = kind
        self.modified = modified
    }
}

/// What one step of a change found.
package struct AgentOutcome: Equatable, Sendable {
    /// What the setting's value was before, or that of the one it replaced; nil if there was none.
    package let before: PropertyListKind?

    /// Takes what was found.
    package init(before: PropertyListKind?) { self.before = before }
}

/// What is told of a vault only with its passphrase.
package struct AgentDetails: Equatable, Sendable {
    /// The number of saves.
    package let generation: UInt64
    /// 16 bytes that tell the vault from every other.
    package let vaultID: [UInt8]
    /// The last 32 bytes of the file that it is told of, which tell one save from every other.
    package let check: [UInt8]
    /// Sizes and numbers.
    package let numbers: PlaintextSummary

    /// Takes what was found.
    package init(generation: UInt64, vaultID: [UInt8], check: [UInt8], numbers: PlaintextSummary) {
        self.generation = generation
        self.vaultID = vaultID
        self.check = check
        self.numbers = numbers
    }
}

/// Why the agent did not do what it was asked for.
package enum AgentFailure: Equatable, Sendable {
    /// What the vault says.
    case vault(VaultError)
    /// The agent speaks another version.
    case version(UInt32)
    /// The frame is none of this protocol. The connection ends.
    case malformed
    /// There is no room for more at this time: ask again.
    case busy
    /// The vault was locked since the client asked for its epoch.
    case staleEpoch
    /// The change rests on a generation that is no longer the newest, which is this one.
    case generation(UInt64)
    /// The change breaks a rule for which every client has words of its own.
    case refused(AgentRefusal)
}

/// A rule that a step of a change breaks.
package enum AgentRefusal: UInt8, CaseIterable, Sendable {
    /// There is a setting that was not to be replaced.
    case isThere = 1
    /// The new name is that of another setting.
    case isTaken
    /// There is no value from before to go back to.
    case nothingIsKept

    /// The same as a vault says it.
    package var reason: String {
        switch self {
        case .isThere: Draft.isThere
        case .isTaken: Draft.isTaken
        case .nothingIsKept: Draft.nothingIsKept
        }
    }
}
