import Coffer
import CofferAgent
import Foundation
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// A vault with known values, a runtime directory, and an agent of the built program that is a child of the test.
final class AgentHome {
    /// Short, since the path of a socket must be.
    let root: String
    let passphrase: [UInt8]
    let values = ["first": canary(), "second": canary()]
    /// What stands in the environment of the agent, for a scan to find.
    let control = canary()
    let runner: CommandRunner
    private(set) var agent: Int32 = 0
    private var child: ChildProcess?
    /// Where an agent with seams is told what happens.
    private var seams: Int32 = -1

    var runtime: String { "\(root)/run" }
    var vault: String { "\(root)/known.coffer" }
    var passphraseFile: String { "\(root)/passphrase" }
    /// What the agent wrote, crash reports too.
    var log: String { "\(root)/log" }
    var location: AgentLocation { AgentLocation(directory: runtime) }

    /// Makes the vault.
    init(derivation: KeyDerivation = TemporaryVault.cheap) throws {
        var template = Array("/tmp/coffer.XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        passphrase = canary(32)
        runner = CommandRunner(
            "coffer",
            environment: [
                "COFFER_VAULT": "\(root)/known.coffer", "HOME": root, "XDG_STATE_HOME": "\(root)/state",
                "COFFER_RUNTIME_DIR": "\(root)/run", "LC_ALL": "C.UTF-8",
                // Lazy binding would spill vector registers to the stack in a build without -z now.
                "LD_BIND_NOW": "1",
            ])
        try Data(passphrase).write(to: URL(fileURLWithPath: passphraseFile))
        try Data().write(to: URL(fileURLWithPath: log))
        try Self.make(vault, passphrase, derivation, values)
    }

    deinit {
        if let child, agent != 0 {
            kill(agent, SIGKILL)
            _ = try? child.wait()
        } else {
            // One that a command started.
            _ = try? runner.run(["agent", "stop"])
        }
        if seams >= 0 { close(seams) }
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Makes a vault with texts in it.
    static func make(
        _ path: String, _ passphrase: [UInt8], _ derivation: KeyDerivation, _ values: [String: [UInt8]]
    ) throws {
        let vault = Vault(at: .file(path))
        try vault.create(passphrase: try Secret(copying: passphrase), derivation: derivation)
        let first = try Secret(copying: passphrase)
        try vault.unlock(first)
        for (name, value) in values {
            let secret = try Secret(copying: value)
            try vault.update { draft in draft.set(SecretKey(name), to: secret) }
        }
        vault.lock()
    }

    // MARK: The agent

    /// Starts the agent and waits until it listens.
    ///
    /// - Parameters:
    ///   - shell: what a shell does first, in the process that becomes the agent.
    ///   - user: the number of the user that it runs as, if not this one.
    func start(after shell: String = ":", as user: UInt32? = nil, environment: [String: String] = [:]) throws {
        try start([runner.program, "agent", "run", "--ready-fd", "3"], after: shell, as: user, environment)
    }

    /// Starts the same agent with a machine that sleeps, or is short of memory, when ``happen(_:)`` says so.
    func startWithSeams() throws {
        let input = try ChildProcess.pipe()
        defer { close(input.read) }
        seams = input.write
        try start([MemoryScanChild.product("ResidueProbe").path, "agent", runtime], [0: input.read])
    }

    /// Has something happen to the machine of an agent that was started for that.
    func happen(_ what: String) throws {
        let line = Array("\(what)\n".utf8)
        try #require(unsafe write(seams, line, line.count) == line.count)
    }

    private func start(
        _ command: [String], _ input: [Int32: Int32] = [:], after shell: String = ":", as user: UInt32? = nil,
        _ environment: [String: String] = [:]
    ) throws {
        var words = user.map { setpriv($0) } ?? []
        let (program, arguments) = MemoryScan.visible(command[0], Array(command.dropFirst()))
        words += [program] + arguments
        let ready = try ChildProcess.pipe()
        defer { close(ready.read) }
        let output = unsafe open(log, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(output) }
        var all = runner.environment
        all["COFFER_TEST_CONTROL"] = String(decoding: control, as: UTF8.self)
        let started = try ChildProcess(
            "/bin/bash", ["-c", "cd '\(root)'; \(shell); exec \"$0\" \"$@\""] + words,
            environment: all.merging(environment) { $1 },
            descriptors: [1: output, 2: output, 3: ready.write].merging(input) { $1 })
        close(ready.write)
        child = started
        agent = started.identifier
        var line = [UInt8](repeating: 0, count: 16)
        let count = unsafe read(ready.read, &line, line.count)
        let said = String(decoding: line.prefix(max(count, 0)), as: UTF8.self)
        let told = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        try #require(said == "ready\n", "\(told)")
    }

    /// Waits for the end of the agent.
    func waitForEnd() throws -> ChildProcess.Status? {
        defer { (child, agent) = (nil, 0) }
        return try child?.wait()
    }

    /// What the kernel says of the agent's memory, in KiB.
    func memory(_ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(agent)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    // MARK: Commands

    /// Runs a command without a passphrase and without a terminal: the agent or nothing.
    @discardableResult
    func run(_ arguments: [String], text: String = "") throws -> CommandRunner.Outcome {
        try runner.run(arguments, input: Array(text.utf8))
    }

    /// Unlocks the vault in the agent by the program.
    func unlock(_ options: [String] = []) throws {
        let outcome = try runner.run(["unlock", "--passphrase-file", passphraseFile] + options)
        try #require(outcome.code == 0, "\(outcome.messages)")
    }

    /// The key that the passphrase is derived to, which a client hands over.
    func key() throws -> [UInt8] {
        let passphrase = try Secret(copying: passphrase)
        return try Vault(at: .file(vault)).deriveKey(passphrase).withBytes { $0.array }
    }

    func client() throws -> AgentClient { try AgentClient(location, vault: vault) }
}

/// The words before a command that another user is to run.
func setpriv(_ user: UInt32) -> [String] {
    ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
}

/// Random letters: a value that no library holds by chance.
func canary(_ count: Int = 64) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return (0..<count).map { _ in letters[Int.random(in: 0..<letters.count)] }
}

/// Waits until something is so, which another process brings about.
func waitUntil(within seconds: Int = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try condition() { return true }
        usleep(10_000)
    }
    return try condition()
}

/// Says aloud that something was not tested.
func skipped(_ why: String) { FileHandle.standardError.write(Data("SKIPPED: \(why)\n".utf8)) }

extension AgentHome {
    /// All settings of a file that are data or text, read without an agent.
    static func settings(_ path: String, _ passphrase: [UInt8]) throws -> [String: [UInt8]] {
        let vault = Vault(at: .file(path))
        let secret = try Secret(copying: passphrase)
        try vault.unlock(secret)
        var found: [String: [UInt8]] = [:]
        for name in try vault.names() {
            found[name] = try vault.withBytes(of: SecretKey(name)) { $0.array }
        }
        return found
    }
}
