internal import CofferAgent
internal import Glibc

enum RuntimeDirectory {
    static func location() throws(AgentClientError) -> AgentLocation {
        AgentLocation(directory: unsafe getenv("COFFER_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? "/tmp/none")
    }
}
