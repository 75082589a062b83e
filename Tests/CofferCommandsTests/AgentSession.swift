import Coffer
import Foundation
import Glibc
import TestSupport
import Testing
import VaultFile

/// A vault, the built program, and a runtime directory for an agent of its own, which ends with this object.
final class AgentSession {
    let session: CofferSession
    /// Short, since the path of a socket must be.
    let runtime: String
    let runner: CommandRunner

    var fixture: TemporaryVault { session.fixture }

    init() throws {
        session = try CofferSession()
        var template = Array("/tmp/coffer.XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        runtime = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var runner = session.runner
        runner.environment["COFFER_RUNTIME_DIR"] = runtime
        self.runner = runner
    }

    deinit {
        _ = try? runner.run(["agent", "stop"])
        try? FileManager.default.removeItem(atPath: runtime)
    }

    /// Runs a command without a passphrase and without a terminal: the agent or nothing.
    func run(_ arguments: [String], text: String = "") throws -> CommandRunner.Outcome {
        try runner.run(arguments, input: Array(text.utf8))
    }

    /// Unlocks the vault in the agent.
    func unlock(_ options: [String] = []) throws -> CommandRunner.Outcome {
        try runner.run(["unlock", "--passphrase-file", session.passphraseFile] + options)
    }

    /// What `status --json` says.
    func status() throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(run(["status", "--json"]).bytes))
        return json as? [String: Any] ?? [:]
    }

    /// Asks until the vault is locked, for a while.
    func waitUntilLocked(within seconds: Int = 20) throws -> Bool {
        for _ in 0..<seconds * 10 {
            if try run(["status", "-q"]).code == 14 { return true }
            usleep(100_000)
        }
        return false
    }
}
