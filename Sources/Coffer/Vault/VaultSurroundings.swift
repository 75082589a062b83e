package import VaultFile

/// What a vault finds around it: the system, its memory and its time. Tests put others in their place.
package struct VaultSurroundings: Sendable {
    /// Makes the system calls of storage.
    package var system: any SystemCalls = LinuxSystemCalls()
    /// How much memory this process could get, in bytes.
    package var availableMemory: @Sendable () -> UInt64 = { AvailableMemory.bytes() }
    /// Tells the time that deadlines are compared on.
    package var clock: any VaultClock = SystemClock()
    /// The user's directory for state, or nil without a home directory.
    package var stateDirectory: @Sendable () -> String? = { UserDirectories.state() }

    /// The present, in milliseconds since 1970: for ages, which tell people how old a secret is.
    package var wallClock: @Sendable () -> Int64 = { WallClock.now() }

    /// What the kernel tells of by descriptors, for triggers.
    package var triggers = TriggerSurroundings()
    /// How long a change waits for the lock of the file.
    package var fileLockTimeout = VaultStore.defaultTimeout
    /// Whether the file of an unlocked vault is watched although nobody observes the vault.
    ///
    /// Then a change of the passphrase elsewhere locks the vault soon, and not at the next access alone.
    package var watchesAlways = false

    /// The surroundings of a program that runs.
    package init() {}

    /// The surroundings of a program that runs, but for what stands in the system's place.
    package init(system: any SystemCalls) { self.system = system }
}
