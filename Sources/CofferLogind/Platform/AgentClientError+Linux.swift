internal import CofferAgent
internal import Glibc

#if !os(Linux)
    #error("AgentClientError knows Linux only: add a file for this system to this folder")
#endif

extension AgentClientError {
    /// Whether it says that nobody listens.
    ///
    /// Nothing else does: not that the directory may not be read, nor that no file can be opened.
    var isNobody: Bool {
        switch self {
        case .noAgent(_, ENOENT), .noAgent(_, ECONNREFUSED): true
        default: false
        }
    }
}
