internal import Coffer

/// What the tests have the library do, one step for each line.
struct VaultSteps {
    let vault: Vault

    private struct Interrupted: Error {}
    /// The cheapest that may be written.
    private static let cost = KeyDerivationCost(passes: 3, memoryKiB: 65_536)

    /// Does the steps until the tests let go. Each is answered with `ok`, or with the error, which carries no value.
    func run() async {
        Lines.write("ready")
        while let line = Lines.read() {
            let words = line.split(separator: " ").map(String.init)
            do {
                try await step(words[0], words.count > 1 ? words[1] : "")
                Lines.write("ok")
            } catch {
                Lines.write("\(error)")
            }
        }
    }

    private func step(_ verb: String, _ name: String) async throws {
        switch verb {
        case "unlock-async": try await vault.unlock(try Secret(readingLineFrom: 0))
        case "cycles": try cycles(Int(name) ?? 0)
        default: try step(verb, SecretKey(name))
        }
    }

    /// Unlocks, reads and locks so often, with a key that is derived once.
    private func cycles(_ count: Int) throws {
        let passphrase = try Secret(readingLineFrom: 0)
        let key = try vault.deriveKey(passphrase)
        for _ in 0..<count {
            try vault.unlock(key: key)
            try step("read", SecretKey("first"))
            vault.lock()
        }
    }

    private func step(_ verb: String, _ key: SecretKey) throws {
        switch verb {
        case "create": try vault.create(passphrase: try Secret(readingLineFrom: 0), cost: Self.cost)
        case "passphrase": try vault.changePassphrase(to: try Secret(readingLineFrom: 0), cost: Self.cost)
        case "unlock": try vault.unlock(try Secret(readingLineFrom: 0))
        case "read":
            for _ in 0..<2 {
                let sum = try vault.withBytes(of: key) { bytes in
                    (0..<bytes.byteCount).reduce(0) { $0 &+ Int(bytes[$1]) }
                }
                if sum == 0 { throw Interrupted() }
            }
        case "set":
            let secret = try Secret(readingLineFrom: 0)
            try vault.update { draft in draft.set(key, to: secret) }
        case "undo": try vault.undo(key.name)
        case "interrupt":
            let secret = try Secret(readingLineFrom: 0)
            try vault.update { draft in
                draft.set(key, to: secret)
                throw Interrupted()
            }
        case "lock": vault.lock()
        case "drop": vault.dropCopy()
        case "fire": AutoLockSteps.signal.fire()
        case "await-lock": AutoLockSteps.awaitLock()
        default: throw Interrupted()
        }
    }
}
