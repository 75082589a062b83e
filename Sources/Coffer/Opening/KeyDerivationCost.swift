package import VaultFile

/// How much work it is to turn a passphrase into the key: for its holder once, for a guesser each time.
public struct KeyDerivationCost: Hashable, Sendable {
    /// Passes over the memory, 3 to 16.
    public let passes: UInt32
    /// Memory in KiB, 65,536 to 1,048,576; passes times memory is at most 4,194,304.
    public let memoryKiB: UInt32

    /// Takes a cost; what the format does not allow is refused when it is used.
    ///
    /// - Parameters:
    ///   - passes: passes over the memory, 3 to 16.
    ///   - memoryKiB: memory in KiB, 65,536 to 1,048,576.
    public init(passes: UInt32, memoryKiB: UInt32) {
        self.passes = passes
        self.memoryKiB = memoryKiB
    }

    /// Three passes over 256 MiB: about half a second. The default.
    public static let moderate = KeyDerivationCost(passes: 3, memoryKiB: 262_144)
    /// Four passes over 1 GiB: several seconds.
    public static let sensitive = KeyDerivationCost(passes: 4, memoryKiB: 1_048_576)

    /// The cost of a derivation, with each number that is weak raised to the default's.
    init(raising derivation: KeyDerivation) {
        let passes = derivation.passes < Limits.writtenPasses ? Self.moderate.passes : derivation.passes
        let isSmall = derivation.memoryKiB < Limits.writtenMemoryKiB
        self.init(passes: passes, memoryKiB: isSmall ? Self.moderate.memoryKiB : derivation.memoryKiB)
    }

    init(_ derivation: KeyDerivation) {
        self.init(passes: derivation.passes, memoryKiB: derivation.memoryKiB)
    }

    /// A derivation of this cost with a new salt.
    package func withNewSalt() -> KeyDerivation { KeyDerivation(passes: passes, memoryKiB: memoryKiB) }
}
