package import Coffer
internal import Glibc
internal import VaultFile

extension Failure {
    /// Says what an error of the library means for a person: the one place where classes become statuses.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - vault: the path of the vault, if one was chosen.
    package init(_ error: VaultError, vault: String?) {
        let file = vault.map { "the vault \(Escaping.quoted($0))" } ?? "the vault"
        switch error {
        case .noVault(let path):
            self.init(
                .noVault, "there is no vault at \(Escaping.quoted(path))",
                hint: "coffer init makes one; --vault names another")
        case .alreadyExists(let path):
            self.init(
                .refused, "there is already something at \(Escaping.quoted(path)), and nothing is overwritten",
                hint: "use it as it is, move it away, or name another place with --vault")
        case .notAVault(let path):
            self.init(
                .notAVault, "\(Escaping.quoted(path)) is not a Coffer vault",
                hint: Directories.isEmptyFile(path)
                    ? "it is empty: if it was a vault, restore a copy" : "is it the right file?")
        case .unsupportedVersion(let version):
            self.init(
                .unsupported, "\(file) is of format version \(version), which this coffer does not know",
                hint: Self.hint(unknown: UInt64(version)))
        case .unsupportedFeature(let field, let value):
            self.init(
                .unsupported, "\(file) has \(field) \(value), which this coffer does not know",
                hint: Self.hint(unknown: value))
        case .damaged(let reason):
            self.init(
                .damaged, "\(file) is damaged: \(reason)",
                hint: "restore a copy; no passphrase was tried, so none is known to be wrong")
        case .limitExceeded(let field, let value, let bound):
            self.init(
                .limitExceeded, "\(file): \(field) is \(value), and the limit is \(bound)",
                hint: Self.override(of: field, value: value, bound: bound))
        case .notEnoughMemory(let memoryKiB):
            let need = memoryKiB.map { ": \($0) KiB are needed to derive the key" } ?? ""
            self.init(
                .notEnoughMemory, "there is not enough memory\(need)",
                hint: "close other programs or raise the limit; this says nothing of the passphrase")
        case .wrongPassphrase:
            self.init(
                .wrongPassphrase, "wrong passphrase for \(file)",
                hint:
                    "if you are sure of it, another holder changed it, the file is a copy from before a change, or its header "
                    + "was edited")
        case .tampered:
            self.init(
                .tampered, "the passphrase is right, but \(file) was edited after its last save",
                hint: "restore a copy, and ask who could write to the file")
        case .invalidContents(let reason):
            self.init(
                .invalidContents, "\(file) holds what this program refuses: \(reason)",
                hint: "it was written by another program that knows the passphrase")
        case .rolledBack(let generation, let newest) where generation < newest:
            self.init(
                .notFresh,
                "\(file) is older than the newest that was seen here: it is save number \(generation), and number "
                    + "\(newest) was seen",
                hint: "look for the newer copy, and who put this one here; if it is a backup that you mean to use, "
                    + Self.acceptance)
        case .rolledBack(let generation, _):
            self.init(
                .notFresh,
                "\(file) has a key that was replaced by a change of passphrase: it is save number \(generation) of an "
                    + "old copy",
                hint: "look for the copy with the new passphrase, and who changed this one; if it is really meant, "
                    + Self.acceptance)
        case .forked(let generation):
            self.init(
                .notFresh, "\(file) is not what was seen here, but another save with the same number, \(generation)",
                hint: "two copies were changed apart: look for the other one, or its changes are lost; if this one is "
                    + "to go on, " + Self.acceptance)
        case .replaced:
            self.init(
                .notFresh, "\(file) is not the one that was last seen at its path, but another vault",
                hint: "look for the one that was there, and who put this one in its place; if it is really meant, "
                    + Self.acceptance)
        case .rekeyed: self.init(.notFresh, "\(file) has a new key since it was last seen here")
        case .noMatchingSlot: self.init(.noMatchingSlot, "the recovery code opens no slot of \(file)")
        case .conflict:
            self.init(
                .conflict, "the key of \(file) changed meanwhile; nothing was overwritten",
                hint: "do it again with the new passphrase")
        case .locked: self.init(.locked, "\(file) is locked")
        case .ioError(let step, let number, let path):
            self.init(
                number == ENOMEM ? .notEnoughMemory : .ioError,
                "\(Escaping.quoted(path)): could not \(step)\(Self.reason(number, step: step))",
                hint: Self.hint(for: number, step: step))
        case .savedButNotSynced(let number, let path):
            self = .notSynced("the change is saved", errno: number, path: path)
        case .outcomeUnknown(let path):
            self.init(
                .ioError, "\(Escaping.quoted(path)): the agent did not say whether the change is made",
                hint: "look before you do it again")
        case .notFound(let name): self = .notFound(name, vault: vault)
        case .typeMismatch(let name, let expected, let found):
            self.init(.unexpected, "the setting \(Escaping.quoted(name)) is of type \(found), not \(expected)")
        case .refused(let reason): self.init(.refused, "\(file): \(reason)")
        }
    }

    private static let acceptance = "--accept-unexpected takes it"

    /// What lifts a limit: the machine's own can be passed, the format's cannot.
    private static func override(of field: String, value: UInt64, bound: UInt64) -> String? {
        guard field == "mem", value > bound, bound < UInt64(Limits.memoryKiB.upperBound) else { return nil }
        return "the vault asks for over half of this machine's memory: --allow-large-memory lets it"
    }

    // Numbering starts at 1, so no newer program has a 0 for us.
    private static func hint(unknown value: UInt64) -> String {
        value == 0 ? "no coffer does: was the file made or edited by another program?" : "a newer coffer is needed"
    }

    /// The change is made, but a power cut may undo it.
    ///
    /// - Parameters:
    ///   - done: what is so from now on.
    ///   - number: why the directory could not be brought to the disk.
    ///   - path: the path of the vault.
    package static func notSynced(_ done: String, errno number: Int32, path: String) -> Failure {
        Failure(
            .ioError,
            "\(Escaping.quoted(path)): \(done), but it may not survive a power cut: \(SystemError(number: number).text)",
            hint: "do not do it again; look at the disk")
    }

    private static func reason(_ number: Int32, step: String) -> String {
        switch (number, step) {
        case (0, _): ""
        // What storage says of a pipe or a device, for which the system has no number.
        case (EINVAL, "open the vault"), (ENXIO, "open the vault"), (EINVAL, "check the file to be replaced"):
            ": it is not a regular file"
        default: ": \(SystemError(number: number).text)"
        }
    }

    private static func hint(for number: Int32, step: String) -> String? {
        let advice: String? =
            switch number {
            case ENOMEM: "close other programs or raise the limit"
            case ENOENT: "is the directory there?"
            case ESTALE: "another program changed the file meanwhile: try again"
            case EWOULDBLOCK: "another process is changing the vault: try again"
            default: nil
            }
        // A read that failed says nothing of what is in the file.
        guard StorageError.Step(rawValue: step)?.isOfSave == true else { return advice }
        guard let advice else { return "nothing was lost" }
        return advice.hasSuffix("?") ? "\(advice) Nothing was lost" : "\(advice). Nothing was lost"
    }

    /// There is no setting of a name.
    static func notFound(_ name: String, vault: String?) -> Failure {
        let file = vault.map { " in \(Escaping.quoted($0))" } ?? ""
        return Failure(
            .notFound, "there is no setting \(Escaping.quoted(name))\(file)", hint: "coffer list shows the names")
    }
}

extension StorageError.Step {
    /// Whether only a save takes the step; until its last one the file is as it was.
    fileprivate var isOfSave: Bool {
        switch self {
        case .openVault, .readVault, .followLink, .openDirectory: false
        case .createDirectory, .openLockFile, .lock, .checkVault, .createTemporary, .keepGroup, .keepMode,
            .writeTemporary, .syncTemporary, .verifyTemporary, .rename, .syncDirectory:
            true
        }
    }
}
