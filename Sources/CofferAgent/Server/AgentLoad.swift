/// What a request costs the agent, and so for what it waits.
package enum AgentLoad: Sendable {
    /// It is answered at once, whatever else goes on.
    case none
    /// It is answered at once too, but at length: it waits until others have read their replies.
    case report
    /// It waits for a reading thread, and for other reads of its vault.
    case read
    /// It waits for the saving thread.
    case change
}

extension AgentRequest {
    var load: AgentLoad {
        switch self {
        case .hello: .none
        case .status: .report
        case .epoch: .none
        case .lock: .none
        case .stop: .none
        case .unlock: .read
        case .value: .read
        case .list: .read
        case .details: .read
        case .change: .change
        }
    }

    /// Whether it holds guarded memory for as long as it is not answered.
    var holdsMemory: Bool {
        switch self {
        case .unlock: true
        case .change: true
        default: false
        }
    }

    /// What the steps of a change take, apart from its values: more than in a frame, where one may have six bytes.
    var stepsFootprint: Int {
        switch self {
        case .change(let change): change.steps.count * Self.stepFootprint
        default: 0
        }
    }

    // A step itself, and what the system adds to each of two names of its own.
    private static let stepFootprint = 128

    /// The epoch of an unlock.
    var unlockEpoch: UInt64? {
        switch self {
        case .unlock(let unlock): unlock.epoch
        default: nil
        }
    }

    /// The vault whose file a read or an unlock needs, as it is spelled.
    var readVault: String? {
        switch self {
        case .unlock(let unlock): unlock.path
        case .value(let path, _): path
        case .list(let path, _): path
        case .details(let path): path
        default: nil
        }
    }

    /// The path of a change.
    var changePath: String? {
        switch self {
        case .change(let change): change.path
        default: nil
        }
    }

    var isStop: Bool {
        switch self {
        case .stop: true
        default: false
        }
    }

    /// The version of a greeting.
    var greeting: UInt32? {
        switch self {
        case .hello(let version): version
        default: nil
        }
    }
}
