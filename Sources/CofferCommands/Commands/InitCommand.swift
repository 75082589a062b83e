internal import Coffer
internal import SecureMemory

/// `init`: a new, empty vault.
enum InitCommand {
    static let command = Command(
        "init", "make a new vault", options: CostChoice.options + [.allowWeak, .json],
        details: [
            "A person is asked for the passphrase twice. The passphrase options give it without asking. Nothing is ever "
                + "overwritten.", CostChoice.detail,
        ],
        examples: [
            .init("coffer init", "a vault in the default place"),
            .init("coffer init --vault team.coffer --cost sensitive", "one elsewhere that is expensive to guess"),
        ],
        run: run)

    private static func run(_ session: Session) throws {
        let path = try session.vaultPath()
        let chosen = try CostChoice.chosen(in: session.arguments)
        let cost = chosen ?? .moderate
        guard !Directories.isTaken(path) else { throw VaultError.alreadyExists(path: path) }
        if let chosen { CostChoice.tell(chosen, before: nil, to: session.console) }
        let passphrase = try PassphraseSource(session.arguments, vault: path).first()
        let vault = try session.vault()
        let allowingAnyMemory = session.arguments.has(.allowLargeMemory)
        try session.saving("the vault is made") {
            try session.whileDeriving { () throws(VaultError) in
                try vault.create(passphrase: passphrase, cost: cost, allowingAnyMemory: allowingAnyMemory)
            }
        }
        session.warnOfMemory(vault)
        vault.lock()
        session.warnOfSave(vault)
        if session.arguments.has(.json) { try report(path, cost, to: session.console) }
        session.console.note("made a new vault: \(Escaping.quoted(path))")
        session.console.note("it is one file, sealed at all times: copy it to make a backup")
        session.console.note("nobody can open it without the passphrase: if that is lost, so is everything in it")
    }

    private static func report(_ path: String, _ cost: KeyDerivationCost, to console: Console) throws(Failure) {
        let fields: [(String, JSONText)] = [
            ("path", .string(path)), ("passes", .integer(UInt64(cost.passes))),
            ("memoryKiB", .integer(UInt64(cost.memoryKiB))),
        ]
        do throws(Failure) { try console.write(JSONText.object(fields).text) } catch {
            throw Failure(error.code, error.message, hint: "the vault is made all the same: \(Escaping.quoted(path))")
        }
    }
}
