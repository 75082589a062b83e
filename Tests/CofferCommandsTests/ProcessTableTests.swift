import Foundation
import Glibc
import TestSupport
import Testing

/// What the process table shows of a program that holds a secret.
@Suite struct ProcessTableTests {
    private static let value = "canary-5e0f7a-value"

    private func expectNoSecret(_ bytes: Data, _ file: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains(Self.value) && !text.contains(TemporaryVault.passphrase), "\(file)")
    }

    @Test("neither the words nor the environment of the process hold the value or the passphrase")
    func program() throws {
        let session = try CofferSession()
        let (program, words) = MemoryScan.visible(session.runner.program, ["set", "a", "--passphrase-fd", "0"])
        let child = try FedChild(
            program, words, environment: session.runner.environment,
            start: Array("\(TemporaryVault.passphrase)\n\(Self.value)".utf8))
        // It has taken the passphrase and the beginning of the value, and waits for the rest.
        try child.waitUntilRead()
        for file in ["cmdline", "environ"] {
            if file == "environ" && MemoryScan.mayBeSkipped {
                FileHandle.standardError.write(Data("SKIPPED: the environment of another process\n".utf8))
                continue
            }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(child.child.identifier)/\(file)"))
            #expect(bytes.count > 10)
            expectNoSecret(bytes, file)
        }
        #expect(try child.end() == .exited(0))
        #expect(try session.run(["get", "a"]).output.hasPrefix(Self.value + "vv"))
    }

    @Test("nor do those of the command that gives the passphrase")
    func command() throws {
        let session = try CofferSession()
        let seen = session.fixture.directory.appendingPathComponent("seen").path
        let script =
            "cat /proc/$$/cmdline /proc/$$/environ /proc/self/environ > '\(seen)'; cat '\(session.passphraseFile)'"
        let outcome = try session.runner.run(
            ["set", "a", "--passphrase-command", script], input: Array(Self.value.utf8))
        #expect(outcome.code == 0)
        #expect(outcome.bytes.isEmpty)
        #expect(!outcome.messages.contains(Self.value))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: seen))
        #expect(String(decoding: bytes, as: UTF8.self).contains("COFFER_VAULT="))
        expectNoSecret(bytes, "the command's")
    }
}
