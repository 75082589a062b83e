/// The numbers of the file format, version 1.
///
/// Specified in the file format, *Reading order*.
package enum Limits {
    package static let passes: ClosedRange<UInt32> = 1...16
    package static let memoryKiB: ClosedRange<UInt32> = 8_192...1_048_576
    package static let passesTimesMemory: UInt64 = 4_194_304
    package static let headerLength = 4_096
    package static let slotCount = 16
    package static let plaintext = 4_096...67_108_864
    package static let fileSize = 67_113_040
    package static let generation: UInt64 = (1 << 63) - 1
    package static let passphrase = 1...1_024
    package static let objects = 4_194_304
    package static let settingsDepth = 32
    package static let metadataDepth = 34

    /// What a writer may choose for a new derivation.
    package static let writtenPasses: UInt32 = 3
    package static let writtenMemoryKiB: UInt32 = 65_536
    /// Above this, the memory of the machine is asked too.
    package static let unaskedMemoryKiB: UInt32 = 262_144
}
