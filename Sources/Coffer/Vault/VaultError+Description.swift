extension VaultError: CustomStringConvertible {
    /// One sentence for a person: what happened, and what to do. It carries no value of a setting.
    public var description: String {
        switch self {
        case .noVault(let path): "there is no vault at \(shown(path)): create one"
        case .alreadyExists(let path): "there is something at \(shown(path)) already, and nothing is overwritten"
        case .notAVault(let path): "\(shown(path)) is not a Coffer vault"
        case .unsupportedVersion(let version): "the vault is of format version \(version): a newer program is needed"
        case .unsupportedFeature(let field, let value):
            "the vault has \(field) \(value), which this program does not know: a newer one is needed"
        case .damaged(let reason): "the vault's file is damaged (\(reason)): restore a copy; no passphrase was tried"
        case .limitExceeded(let field, let value, let bound): "\(field) is \(value), and the limit is \(bound)"
        case .notEnoughMemory(let memoryKiB):
            "there is not enough memory" + (memoryKiB.map { ": \($0) KiB are needed to derive the key" } ?? "")
        case .wrongPassphrase: "the passphrase is wrong, or another holder of the vault changed it"
        case .tampered: "the passphrase is right, but the vault's file was edited after its last save: restore a copy"
        case .invalidContents(let reason): "the vault holds what this program refuses: \(reason)"
        case .rolledBack(let generation, let newest) where generation >= newest:
            "the vault's file is save \(generation) under a key that was replaced, and save \(newest) was seen before: "
                + "look for the file with the new passphrase"
        case .rolledBack(let generation, let newest):
            "the vault's file is save \(generation), and save \(newest) was seen before: look for the newer file"
        case .forked(let generation): "the vault's file is another save \(generation) than the one that was seen"
        case .replaced: "another vault stands at the path than was seen there"
        case .rekeyed: "the vault has a new key since it was last seen"
        case .noMatchingSlot: "the recovery code opens no slot of this vault"
        case .conflict: "the passphrase of the vault was changed elsewhere, and nothing was overwritten: unlock it anew"
        case .locked: "the vault is locked: unlock it"
        case .ioError(let step, let errno, let path):
            "could not \(step) (\(shown(path)))" + (errno == 0 ? "" : ": system error \(errno)")
        case .savedButNotSynced(let errno, let path):
            "the change is saved in \(shown(path)), but may not survive a power cut (system error \(errno)): do not repeat it"
        case .outcomeUnknown(let path):
            "the change in \(shown(path)) may be made or not: look before you do it again"
        case .notFound(let name): "there is no setting \(shown(name))"
        case .typeMismatch(let name, let expected, let found):
            "the setting \(shown(name)) is of type \(found), not \(expected)"
        case .refused(let reason): reason
        }
    }
}

/// Text that steers no terminal: control characters are written as their numbers.
private func shown(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        if isControl {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
}
