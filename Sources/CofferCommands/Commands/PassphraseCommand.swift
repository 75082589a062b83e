internal import Coffer
internal import SecureMemory

/// `passphrase`: a vault gets another passphrase, and with it another key.
enum PassphraseCommand {
    static let command = Command(
        "passphrase", "change the passphrase or the cost",
        options: [.newPassphraseFD, .newPassphraseFile, .newPassphraseCommand] + [.newCost, .target, .allowWeak],
        details: [
            "The current passphrase is always needed, and comes from the passphrase options or a prompt; then the new one, "
                + "from the options for it or a prompt. With --passphrase-fd alone, a second line there is the new one: "
                + "printf 'old\\nnew\\n' | coffer passphrase --passphrase-fd 0",
            "To change the cost alone, give the same passphrase again. With --cost or --target it also stays when no other "
                + "is given and nobody can be asked.",
            "Old copies of the file still open with the old passphrase. If that has leaked, change what is in the vault.",
            CostChoice.detail,
        ],
        examples: [
            .init("coffer passphrase", "asks for both"),
            .init(
                "coffer passphrase --cost sensitive",
                "also changes the cost; the same passphrase again changes it alone"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let path = try session.vaultPath()
        let source = PassphraseSource(session.arguments, vault: path)
        _ = try PassphraseOrigin.chosen(in: session.arguments, .new)
        let cost = try CostChoice.chosen(in: session.arguments)
        let current = try session.currentPassphrase()
        let vault = try session.unlockedVault(with: current)
        defer { vault.lock() }
        if let cost { CostChoice.tell(cost, before: try vault.inspect().cost, to: session.console) }
        let given = try source.replacement(of: current, mayKeep: cost != nil)
        let change: PassphraseChange
        let isSame: Bool
        if let given {
            isSame = given.isEqual(to: current)
            change = try replace(given, isSame: isSame, cost, in: vault, session)
        } else {
            isSame = true
            change = try replace(current, isSame: isSame, cost, in: vault, session)
        }
        session.warnOfSave(vault)
        report(change, to: session.console)
        let file = Escaping.quoted(path)
        session.console.note(
            isSame
                ? "the key of \(file) is changed, the passphrase is the same" : "the passphrase of \(file) is changed")
        session.console.note(
            isSame
                ? "copies made before keep the key and the cost that they had"
                : "copies made before still open with the old one")
    }

    private static func replace(
        _ passphrase: borrowing Secret, isSame: Bool, _ cost: KeyDerivationCost?, in vault: Vault, _ session: Session
    ) throws -> PassphraseChange {
        let allowingAnyMemory = session.arguments.has(.allowLargeMemory)
        let done =
            isSame
            ? "the new key is in force, and the passphrase is the same"
            : "the new passphrase is in force, and the old one opens the vault no more"
        return try session.saving(done) {
            try session.whileDeriving { () throws(VaultError) in
                try vault.changePassphrase(to: passphrase, cost: cost, allowingAnyMemory: allowingAnyMemory)
            }
        }
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
