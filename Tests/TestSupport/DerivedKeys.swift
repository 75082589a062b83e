import SecureMemory
import Synchronization
package import VaultFile

/// Keys by passphrase and derivation, each derived once: nearly all vectors have the same.
package enum DerivedKeys {
    private struct Origin: Hashable {
        let passphrase: [UInt8]
        let block: [UInt8]
    }

    private static let known = Mutex<[Origin: MasterKey]>([:])

    /// The key of a passphrase, as if it were derived.
    ///
    /// - Throws: what a derivation throws.
    package static func key(
        of passphrase: [UInt8], _ derivation: KeyDerivation
    ) throws(VaultFileError) -> MasterKey {
        let origin = Origin(passphrase: passphrase, block: derivation.block)
        // Two tests that ask at once may both derive it.
        if let key = known.withLock({ $0[origin] }) { return key }
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: derivation)
        known.withLock { $0[origin] = key }
        return key
    }
}
