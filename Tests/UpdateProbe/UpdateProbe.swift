import Coffer

// UpdateProbe VAULT TIMES: reads the passphrase from standard input and adds one to the setting "count", so many times.

@main struct UpdateProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let times = Int(arguments[2]) else { throw VaultError.refused(reason: "usage") }
        let count = SettingKey("count", default: 0)
        let vault = Vault(at: .file(arguments[1]))
        try vault.unlock(Secret(readingLineFrom: 0))
        for _ in 0..<times {
            try vault.update { draft in draft.set(count, to: try draft.get(count) + 1) }
        }
        vault.lock()
    }
}
