/// What a vault's file shows of where it stands in the life of its vault.
///
/// Nothing in it is secret to a program of the same user: it is what the freshness state keeps in the clear.
package struct FreshnessSighting: Equatable, Sendable {
    /// The vault's id: 16 bytes.
    package let vaultID: [UInt8]
    /// Which save of the vault it is.
    package let generation: UInt64
    /// The check at the end of the file, which tells one save from another: 32 bytes.
    package let check: [UInt8]
    /// What the key commits to, which tells one key from another: 32 bytes.
    package let commitment: [UInt8]

    /// Describes an opened file.
    ///
    /// - Parameters:
    ///   - header: its header.
    ///   - plaintext: what was sealed in it.
    package init(header: VaultHeader, plaintext: VaultPlaintext) {
        self.init(
            vaultID: plaintext.vaultID, generation: plaintext.generation, check: header.check,
            commitment: header.commitment)
    }

    /// Describes a file by its parts.
    package init(vaultID: [UInt8], generation: UInt64, check: [UInt8], commitment: [UInt8]) {
        self.vaultID = vaultID
        self.generation = generation
        self.check = check
        self.commitment = commitment
    }
}

/// Why a file is not what was to be expected after what was seen before.
package enum FreshnessFinding: Equatable, Sendable {
    /// Another vault was last seen at the path.
    case replaced
    /// The file is older than the newest save that was seen, or has a key that was replaced.
    case rolledBack(newest: UInt64)
    /// The file is another save of the newest generation that was seen.
    case forked
    /// The file was opened by a recovery code and has a key that was not seen here.
    case rekeyed
}
