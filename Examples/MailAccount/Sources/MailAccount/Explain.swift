import Coffer

/// What the user is told. No error carries a value of a setting.
func explain(_ error: VaultError) -> String {
    switch error {
    case .wrongPassphrase: "that is not the passphrase"
    case .locked: "locked: please enter the passphrase"
    case .conflict: "the passphrase was changed by another program: please enter the new one"
    case .damaged, .tampered, .invalidContents: "the settings file is damaged: please restore a copy (\(error))"
    case .rolledBack, .forked, .replaced: "the settings file is not the one that was used last (\(error))"
    case .notFound(let name): "\(name) is not set yet"
    case .savedButNotSynced: "saved, but a power cut may still undo it"
    default: "\(error)"
    }
}
