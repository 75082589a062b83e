extension Vault {
    /// Observes the vault from now on: names of settings that change, and its lock state.
    ///
    /// Changes that another process saves are noticed at the next access, and by watching the file while the vault is
    /// unlocked; where the system refuses the watch, ``warnings`` says so and the next access tells. While the vault is
    /// locked nobody can know what others change.
    ///
    /// - Returns: a sequence with a buffer of its own, of 64 events.
    public func events() -> VaultEvents {
        let mailbox = hub.subscribe()
        watchFile()
        return VaultEvents(mailbox)
    }
}
