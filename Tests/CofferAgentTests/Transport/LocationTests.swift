import CofferAgent
import Foundation
import Testing

@Suite("Where the agent listens")
struct LocationTests {
    private func directory(_ variables: [String: String], directories: Set<String> = []) throws -> String {
        try AgentLocation(user: 42, variable: { variables[$0] }, isDirectory: { directories.contains($0) }).directory
    }

    @Test("The first of the places that is there is taken")
    func order() throws {
        let all: Set = ["/run/x", "/run/user/42"]
        let variables = ["COFFER_RUNTIME_DIR": "/c", "XDG_RUNTIME_DIR": "/run/x", "TMPDIR": "/t"]
        #expect(try directory(variables, directories: all) == "/c")
        #expect(try directory(["XDG_RUNTIME_DIR": "/run/x"], directories: all) == "/run/x/coffer")
        #expect(try directory(["XDG_RUNTIME_DIR": "/gone"], directories: all) == "/run/user/42/coffer")
        #expect(try directory([:], directories: all) == "/run/user/42/coffer")
        #expect(try directory(["XDG_RUNTIME_DIR": "/gone", "TMPDIR": "/t"]) == "/t/coffer-42")
        #expect(try directory([:]) == "/tmp/coffer-42")
    }

    @Test("A directory of another user is passed over")
    func owner() throws {
        let place = try TestPlace()
        #expect(AgentLocation.isOwnDirectory(place.root))
        #expect(!AgentLocation.isOwnDirectory("\(place.root)/none"))
        // Only who can do everything can give a directory away; for everybody else there is one of another's at hand.
        let other = geteuid() == 0 ? place.root : "/"
        if geteuid() == 0 { #expect(unsafe chown(place.root, 65_534, 65_534) == 0) }
        #expect(!AgentLocation.isOwnDirectory(other))
    }

    @Test("What is no absolute path is passed over, but refused where it was chosen")
    func relative() throws {
        #expect(try directory(["XDG_RUNTIME_DIR": "x", "TMPDIR": "t"], directories: ["x"]) == "/tmp/coffer-42")
        #expect(try directory(["COFFER_RUNTIME_DIR": ""]) == "/tmp/coffer-42")
        let refusal = AgentClientError.foreignAgent(path: "c", reason: "$COFFER_RUNTIME_DIR is no absolute path")
        #expect(throws: refusal) { try directory(["COFFER_RUNTIME_DIR": "c"]) }
    }

    @Test("A path that is too long for a socket is refused with the limit")
    func length() throws {
        let longest = "/" + String(repeating: "l", count: 107 - "/agent.sock".count - 1)
        #expect(try directory(["COFFER_RUNTIME_DIR": longest]) == longest)
        do throws(AgentClientError) {
            _ = try AgentLocation(user: 42, variable: { _ in longest + "l" }, isDirectory: { _ in false })
            Issue.record("a socket of 108 bytes")
        } catch {
            guard case .foreignAgent(let path, let reason) = error else { throw error }
            #expect(path == longest + "l/agent.sock")
            #expect(reason.contains("107 bytes"))
        }
    }
}
