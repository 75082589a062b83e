internal import Coffer

extension Session {
    /// Lets a verb read and change the settings: in the agent if that has the vault unlocked, else in this process.
    func withAccess<Result>(_ body: (any SettingsAccess) throws -> Result) throws -> Result {
        let vault = try unlockedVault()
        defer { vault.lock() }
        return try body(try LocalAccess(vault, self))
    }
}
