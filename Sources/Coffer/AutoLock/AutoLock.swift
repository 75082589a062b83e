/// When an unlocked vault locks itself.
///
/// Time is measured on a clock that goes on while the machine sleeps, and compared at every access; a timer locks without
/// an access. Asking for the state of a vault is no access.
public struct AutoLock: Sendable {
    /// How long a vault stays unlocked after the last access; nil for ever, zero or less not at all.
    public var idle: Duration?

    /// How long a vault stays unlocked after the unlock, however often it is used; nil for ever, zero or less not at all.
    public var maximumAge: Duration?

    /// What else locks the vault, or drops its decrypted copy.
    public var triggers: [LockTrigger]

    /// Makes the rules of a vault.
    ///
    /// - Parameters:
    ///   - idle: the longest time without an access; nil for no limit.
    ///   - maximumAge: the longest time since the unlock; nil for no limit.
    ///   - triggers: what else locks the vault.
    public init(idle: Duration? = nil, maximumAge: Duration? = nil, triggers: [LockTrigger] = []) {
        self.idle = idle
        self.maximumAge = maximumAge
        self.triggers = triggers
    }

    /// A vault that only its app locks.
    public static let never = AutoLock()
}
