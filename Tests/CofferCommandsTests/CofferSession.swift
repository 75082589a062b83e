import Coffer
import Foundation
import TestSupport
import VaultFile

/// A vault and the built program to use it with.
struct CofferSession {
    let fixture: TemporaryVault
    let runner: CommandRunner
    let passphraseFile: String

    /// - Parameter passphrase: what opens the vault, or nil to make none.
    init(passphrase: String? = TemporaryVault.passphrase) throws {
        fixture = try TemporaryVault(create: false)
        if let passphrase {
            try fixture.handle().create(passphrase: Secret.text(passphrase), derivation: TemporaryVault.cheap)
        }
        runner = CommandRunner(
            "coffer",
            environment: [
                "COFFER_VAULT": fixture.path, "HOME": fixture.directory.path,
                "XDG_STATE_HOME": fixture.stateDirectory.path,
                // No agent is there, whoever runs the tests.
                "COFFER_RUNTIME_DIR": fixture.directory.appendingPathExtension("run").path,
            ])
        passphraseFile = try fixture.file("passphrase", Array((passphrase ?? TemporaryVault.passphrase).utf8))
    }

    /// Runs a command that gets the passphrase from a file.
    func run(
        _ arguments: [String], input: [UInt8]? = [], output: CommandRunner.Output = .gathered
    ) throws -> CommandRunner.Outcome {
        try runner.run(arguments + ["--passphrase-file", passphraseFile], input: input, output: output)
    }

    func run(_ arguments: [String], text: String) throws -> CommandRunner.Outcome {
        try run(arguments, input: Array(text.utf8))
    }

    /// What a setting holds.
    func value(_ name: String) throws -> [UInt8] { try run(["get", name]).bytes }
}

extension TemporaryVault {
    /// Writes a file into the directory and gives its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = directory.appendingPathComponent(name)
        try Data(bytes).write(to: url)
        return url.path
    }
}
