internal import Coffer

extension AgentVaultStatus {
    /// Where the file of a vault is, as the agent tells it: text, also where it is none.
    package struct Place: Sendable {
        private let text: String

        /// Looks where a path leads to: the agent knows a vault by the place that all spellings of its path lead to.
        ///
        /// - Parameter path: absolute. Looking may wait for a slow drive.
        package init(of path: String) { text = String(decoding: VaultPlace.resolved(path), as: UTF8.self) }

        /// Whether a vault that the agent tells of is there.
        package func isOf(_ vault: AgentVaultStatus) -> Bool {
            // By bytes: Swift takes two spellings of one text for equal.
            vault.path.utf8.elementsEqual(text.utf8)
        }
    }
}
