internal import Coffer
internal import SecureMemory
internal import Synchronization

/// One run of the program: what was asked for, and where it speaks.
package struct Session: Sendable {
    let arguments: Arguments
    let console: Console
    let table: CommandTable
    /// What the system refused of the protection of this process.
    let refusals: ProcessHardening.Refusals
    private let forgetting = Once()

    /// The operands.
    var operands: [String] { arguments.operands }

    /// The path of the vault that the command is about.
    func vaultPath() throws(Failure) -> String { try VaultSelection.path(arguments) }

    /// The vault that the command is about, locked.
    func vault() throws(Failure) -> Vault {
        Vault(at: try VaultSelection.location(arguments), freshness: .remembered)
    }

    /// Unlocks the vault, asking for the passphrase if no option gives it.
    ///
    /// A missing or damaged file is found before a passphrase is read or judged, as the reading order says.
    func unlockedVault() throws -> Vault {
        try unlockedVault(with: try currentPassphrase())
    }

    /// Gets the passphrase that opens the vault, once the file is known to be there and whole.
    func currentPassphrase() throws -> Secret {
        // A slip on the command line is said before anything else.
        _ = try PassphraseOrigin.chosen(in: arguments, .current)
        _ = try vault().inspect()
        return try PassphraseSource(arguments, vault: try vaultPath()).current()
    }

    /// Unlocks the vault.
    func unlockedVault(with passphrase: borrowing Secret) throws -> Vault {
        let vault = try vault()
        let allowingAnyMemory = arguments.has(.allowLargeMemory)
        let accepting = arguments.has(.acceptUnexpected)
        try whileDeriving { () throws(VaultError) in
            try vault.unlock(passphrase, allowingAnyMemory: allowingAnyMemory, acceptingUnexpectedFile: accepting)
        }
        try warnOfFile(vault)
        return vault
    }

    /// Says what should be known of the file before it is used: a cheap passphrase, wide permissions, unlocked memory.
    func warnOfFile(_ vault: Vault) throws {
        warnOfMemory(vault)
        warnOfFile(at: try vault.path(), vault.warnings)
    }

    /// Says what should be known of the file, whoever has it unlocked.
    func warnOfFile(at path: String, _ warnings: [VaultWarning]) {
        for case .weakKeyDerivation(let passes, let memoryKiB) in warnings {
            console.warning(
                "the passphrase of this vault is cheap to guess (\(passes) passes over \(memoryKiB) KiB)",
                hint: "coffer passphrase --cost moderate changes that")
        }
        warnOfFreshness(warnings)
        if let permissions = Permissions.ofOthers(path) {
            console.warning(
                "others than you can reach the vault's file (mode \(String(permissions, radix: 8)))",
                hint: "chmod 600 changes that")
        }
    }

    /// Says that an unlocked vault stands in memory that is not locked.
    func warnOfMemory(_ vault: Vault) { vault.memoryProtection.map { warnOfMemory($0) } }

    /// Says that contents stand in memory that is not locked.
    func warnOfMemory(_ protection: MemoryProtection) {
        guard !protection.isLocked else { return }
        console.warning(
            "memory could not be locked, so secrets may reach the swap space while this runs",
            hint: "raise the limit that ulimit -l shows")
    }

    /// Says, once, that what was seen of the vault could not be written down.
    private func warnOfFreshness(_ warnings: [VaultWarning]) {
        for case .freshnessNotRemembered(let number, let path) in warnings where forgetting.isFirst() {
            let reason = number == 0 ? "there is no home directory" : SystemError(number: number).text
            console.warning(
                "it could not be written down which save of the vault was seen: \(Escaping.quoted(path)): \(reason)",
                hint: "until that works, an old file that is put back may not be noticed; XDG_STATE_HOME names another "
                    + "directory for it")
        }
    }

    /// Runs what saves; when that is done but may not survive a power cut, the failure says what is so from now on.
    ///
    /// - Parameters:
    ///   - done: what is so from now on, as a sentence without a full stop.
    ///   - body: makes the change.
    func saving<Result: ~Copyable>(_ done: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch VaultError.savedButNotSynced(let number, let path) {
            throw Failure.notSynced(done, errno: number, path: path)
        }
    }

    /// Says what a save could not do as it should.
    func warnOfSave(_ vault: Vault) { warnOfSave(vault.warnings) }

    /// Says what a save could not do as it should, whoever made it.
    func warnOfSave(_ warnings: [VaultWarning]) {
        warnOfFreshness(warnings)
        for warning in warnings {
            switch warning {
            case .groupNotKept: console.warning("the group of the vault's file could not be kept")
            case .syncedEverything:
                console.warning("the file system cannot bring one file to the disk, so everything was brought there")
            case .weakKeyDerivation, .readableByOthers, .freshnessNotRemembered, .triggerUnavailable,
                .timerUnavailable, .fileNotWatched:
                break
            }
        }
    }

    /// Runs what derives a key, with a note to a person if it takes over a second.
    func whileDeriving<Result: ~Copyable, Thrown: Error>(
        _ body: () throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        guard console.errorIsTerminal && !console.isQuiet else { return try body() }
        let note = ProgressNote()
        defer { note?.end() }
        return try body()
    }
}

/// Something that is to be done the first time alone.
private final class Once: Sendable {
    private let isDone = Mutex(false)

    func isFirst() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}
