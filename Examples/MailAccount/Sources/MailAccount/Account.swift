import Coffer

/// The user's mail account: its settings in a vault, its access token in memory.
final class Account: Sendable {
    /// Fired when the screen is locked: the vault locks, and the token is forgotten.
    let screenLocked: LockSignal
    let vault: Vault
    private let tokens: MemoryCache

    init() {
        let screenLocked = LockSignal()
        let triggers: [LockTrigger] = [.sleep, .custom(screenLocked)]
        self.screenLocked = screenLocked
        vault = Vault(
            at: .userData("com.example.mail"),
            autoLock: AutoLock(
                idle: .seconds(15 * 60), maximumAge: .seconds(8 * 3600), triggers: triggers + [.memoryPressure]))
        tokens = MemoryCache(lifetime: .seconds(60), triggers: triggers)
    }

    /// Opens the account's vault. On the first run it makes one, with the first settings in it.
    func open(_ passphrase: borrowing Secret) async throws -> VaultOpening {
        try await vault.unlockOrCreate(passphrase) { draft in
            draft.set(.username, to: "alice@example.com")
            draft.set(.encryption, to: .startTLS)
        }
    }

    /// Keeps the password.
    func remember(_ password: borrowing Secret) throws {
        try vault.update { draft in draft.set(.password, to: password) }
    }

    var needsPassword: Bool {
        get throws(VaultError) { try !vault.isSet(.password) }
    }

    /// Lends a token for the server: the one in memory, or a new one, for which the server's code gets the password.
    func withAccessToken<Result>(_ server: Server, _ body: (RawSpan) throws -> Result) throws -> Result {
        if let result = try tokens.withBytes(of: "access", body) { return result }
        let username = try vault[.username]
        let result = try vault.withBytes(of: .password) { password in
            let token = try server.signIn(username, password)
            try tokens.set("access", to: token)
            return try token.withBytes(body)
        }
        try vault.update { draft in draft.set(.signIns, to: try draft.get(.signIns) + 1) }
        return result
    }

    /// What a settings window would show; a status line calls this too, and it keeps nothing unlocked.
    var summary: String {
        guard vault.lockState != .locked else { return "locked" }
        do throws(VaultError) {
            let address = "\(try vault[.server]):\(try vault[.port])"
            return "\(try vault[.username]) at \(address), \(try vault[.encryption]), \(try vault[.signIns]) sign-ins"
        } catch {
            return explain(error)
        }
    }

    var tokenCount: Int { tokens.count }
}
