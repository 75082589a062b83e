/// What a vault holds in memory.
public enum LockState: Hashable, Sendable {
    /// Neither the key nor any setting.
    case locked
    /// The key and the decrypted settings.
    case unlocked
    /// The key alone: the next read decrypts the file again. Memory pressure leads here.
    case unlockedWithoutCopy
}

/// What happened to a vault; it carries names of settings, never values.
public enum VaultEvent: Hashable, Sendable {
    /// These settings were set, renamed or removed, by this process or another: their names in the order of their bytes.
    case changed(names: [String])
    /// Settings changed, but which ones is not known, or they are more than 1,024: look at all that matter.
    case changedUnspecified
    /// The vault was locked or unlocked, or its decrypted settings were dropped or decrypted again.
    case lockState(LockState)
    /// Events were lost, because 64 were waiting already: look at everything again.
    case missed
}

extension VaultEvent {
    /// As many names as one event lists.
    static let mostNames = 1_024

    /// Names without repetition, in the order of their bytes, unless there are too many.
    static func changed(_ names: some Sequence<SettingName>) -> VaultEvent {
        let names = Set(names)
        guard names.count <= mostNames else { return .changedUnspecified }
        return .changed(names: names.sorted().map { String(decoding: $0.utf8, as: UTF8.self) })
    }

    /// What this and an event directly after it are together, or nil if they are told one by one.
    func merged(with next: VaultEvent) -> VaultEvent? {
        switch (self, next) {
        case (.changed(let names), .changed(let more)):
            .changed((names + more).map { SettingName($0) })
        case (.changedUnspecified, .changed), (.changed, .changedUnspecified),
            (.changedUnspecified, .changedUnspecified):
            .changedUnspecified
        case (.lockState(let state), .lockState(let next)) where state == next: .lockState(next)
        case (.missed, .missed): .missed
        default: nil
        }
    }
}
