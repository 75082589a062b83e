internal import Coffer
internal import CofferAgent

/// What the agent says of a vault, and of the others that it holds.
struct AgentStatus {
    /// The vault that was asked for, if it is held.
    let vault: AgentVaultStatus?
    /// All others, in the order of their paths.
    let others: [AgentVaultStatus]

    /// Asks, which extends no deadline.
    ///
    /// - Parameter path: of the vault, absolute.
    init(of path: String, _ agent: AgentLink) throws(Failure) {
        let held: [AgentVaultStatus]
        switch try agent.ask(.status) {
        case .status(let all): held = all
        case .failure(let failure): throw Failure(failure)
        default: throw AgentLink.nonsense
        }
        let place = AgentVaultStatus.Place(of: path)
        vault = held.first { place.isOf($0) && $0.lockState != .locked }
        others = held.filter { !place.isOf($0) && $0.lockState != .locked }
            .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}
