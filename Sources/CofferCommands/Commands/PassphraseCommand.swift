internal import Coffer
internal import SecureMemory

/// `passphrase`: a vault gets another passphrase, and with it another key.
enum PassphraseCommand {
    static let command = Command(
        "passphrase", "change the passphrase of the vault",
        options: [.newPassphraseFD, .newPassphraseFile, .newPassphraseCommand] + CostChoice.options + [.allowWeak],
        details: [
            "The current passphrase is always needed, and comes from the passphrase options or a prompt; then the new one, "
                + "from the options for it or a prompt. With --passphrase-fd alone, a second line there is the new one.",
            "Old copies of the file still open with the old passphrase. If that has leaked, change what is in the vault.",
            CostChoice.detail,
        ],
        examples: [
            .init("coffer passphrase", "asks for both"),
            .init("coffer passphrase --cost sensitive", "also changes the cost"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let path = try session.vaultPath()
        let source = PassphraseSource(session.arguments, vault: path)
        _ = try PassphraseOrigin.chosen(in: session.arguments, .new)
        let cost = try CostChoice.chosen(in: session.arguments)
        let vault = try session.unlockedVault()
        defer { vault.lock() }
        let new = try source.replacement()
        let allowingAnyMemory = session.arguments.has(.allowLargeMemory)
        let change = try session.saving("the new passphrase is in force, and the old one opens the vault no more") {
            try session.whileDeriving { () throws(VaultError) in
                try vault.changePassphrase(to: new, cost: cost, allowingAnyMemory: allowingAnyMemory)
            }
        }
        session.warnOfSave(vault)
        report(change, to: session.console)
        session.console.note("the passphrase of \(Escaping.quoted(path)) is changed")
        session.console.note("copies made before still open with the old one")
    }

    private static func report(_ change: PassphraseChange, to console: Console) {
        if change.droppedSlots > 0 {
            console.warning("\(change.droppedSlots) recovery codes no longer open this vault", hint: "make new ones")
        }
        if change.droppedRecipients > 0 {
            console.warning("\(change.droppedRecipients) recipients were struck off: their keys cannot be used")
        }
    }
}
