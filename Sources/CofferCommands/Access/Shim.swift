internal import CofferAgent
internal import Glibc
enum RuntimeDirectory {
    static func location() throws(AgentClientError) -> AgentLocation {
        AgentLocation(directory: unsafe getenv("COFFER_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? "/tmp/none")
    }
}
extension AgentStep { static let refusals: Set<String> = [] }
internal import VaultFile
extension AgentDetails {
    var check: [UInt8] { [] }
    var numbers: PlaintextSummary { fatalError() }
}
