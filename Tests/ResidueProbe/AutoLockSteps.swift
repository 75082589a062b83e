internal import Coffer
internal import Glibc
internal import Synchronization

/// Vaults that lock themselves, each by one rule.
enum AutoLockSteps {
    struct UnknownRule: Error {}

    /// The app's own reason to lock.
    static let signal = LockSignal()

    /// A vault with a rule of the tests.
    static func vault(_ path: String, rule: String) throws -> VaultSteps {
        let vault = Vault(at: .file(path), autoLock: try autoLock(rule))
        let events = vault.events()
        Task.detached {
            for await event in events where event == .lockState(.locked) { locks.add(1, ordering: .relaxed) }
        }
        return VaultSteps(vault: vault)
    }

    private static func autoLock(_ rule: String) throws -> AutoLock {
        switch rule {
        case "idle": AutoLock(idle: .milliseconds(300))
        case "age": AutoLock(maximumAge: .milliseconds(300))
        case "custom": AutoLock(triggers: [.custom(signal)])
        case "signal": AutoLock(triggers: [.signal(SIGWINCH)])
        case "all": AutoLock(idle: .seconds(600), maximumAge: .seconds(600), triggers: [.memoryPressure, .sleep])
        default: throw UnknownRule()
        }
    }

    /// How often the vault said that it was locked, which it does when everything is dropped.
    private static let locks = Atomic(0)

    /// Waits until the vault has locked itself, without touching it.
    static func awaitLock() { while locks.load(ordering: .relaxed) == 0 { usleep(1_000) } }
}
