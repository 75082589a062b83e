package import SecureMemory

/// The key of a vault, out of reach of the processor except while it is used.
package final class MasterKey: Sendable {
    package static let length = 32

    /// What the key was derived with; a file with another block has another key.
    package let keyDerivation: KeyDerivation
    private let buffer: PlainMutex<GuardedBuffer>
    // Beside the buffer's own, because a child must not wait for a lock that a thread of its parent held.
    private let owner = ProcessToken.current

    /// Takes over the bytes of a key.
    package init(_ bytes: consuming GuardedBuffer, keyDerivation: KeyDerivation) {
        self.keyDerivation = keyDerivation
        bytes.protect(.none)
        buffer = PlainMutex(bytes)
    }

    /// Derives the key of a passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: 1 to 1,024 bytes.
    ///   - keyDerivation: cost and salt, already checked against the limits.
    /// - Throws: `refused` for another length, `notEnoughMemory` when the derivation cannot run.
    package convenience init(passphrase: RawSpan, keyDerivation: KeyDerivation) throws(VaultFileError) {
        try Self.checkPassphrase(passphrase)
        let salt = keyDerivation.salt
        let bytes = try Argon2id.derive(
            passphrase, salt: salt.rawSpan, passes: keyDerivation.passes, memoryKiB: keyDerivation.memoryKiB)
        self.init(bytes, keyDerivation: keyDerivation)
    }

    /// Checks the length of a passphrase, in bytes after normalisation.
    package static func checkPassphrase(_ passphrase: RawSpan) throws(VaultFileError) {
        if passphrase.byteCount < Limits.passphrase.lowerBound { throw .refused(reason: "the passphrase is empty") }
        if passphrase.byteCount > Limits.passphrase.upperBound { throw tooLong }
    }

    /// The failure of a passphrase that is too long.
    package static var tooLong: VaultFileError {
        .refused(reason: "the passphrase is longer than \(Limits.passphrase.upperBound) bytes")
    }

    /// Whether a fork wiped the key: this process never had it.
    package var isForeign: Bool { owner != ProcessToken.current }

    /// Lends the 32 bytes; no other user of the key runs meanwhile.
    ///
    /// - Throws: `memory` when the system refuses access to them; what `body` throws.
    package func withBytes<Result: ~Copyable & Sendable>(
        _ body: (RawSpan) throws(VaultFileError) -> Result
    ) throws(VaultFileError) -> Result {
        try buffer.withLock { (buffer) throws(VaultFileError) -> Result in
            let result = try buffer.withReadAccess { (buffer) throws(VaultFileError) -> Result in
                try body(buffer.bytes)
            }
            switch consume result {
            case .some(let result): return result
            case .none: throw .memory
            }
        }
    }

    /// Copies the 32 bytes, for another process of the same user to open the vault with.
    package func copy() throws(VaultFileError) -> GuardedBuffer {
        try withBytes { (key) throws(VaultFileError) in
            do throws(SecureMemoryError) { return try GuardedBuffer(copying: key) } catch { throw .memory }
        }
    }

    /// Computes what a file of this key commits to.
    package func commitment() throws(VaultFileError) -> [UInt8] {
        let block = keyDerivation.block
        return try withBytes { (key) throws(VaultFileError) in
            try BLAKE2b.digest(
                "coffer1-commit", of: block.rawSpan, key: key, digestLength: VaultHeader.commitmentLength)
        }
    }

    /// Computes the key that opens and seals the box under a header and commitment.
    package func sealingKey(boundTo header: RawSpan) throws(VaultFileError) -> GuardedBuffer {
        try withBytes { (key) throws(VaultFileError) in try BLAKE2b.secret("coffer1-seal", of: header, key: key) }
    }

    /// Computes a nonce that repeats only if generator, plaintext and key all do.
    package func nonce(random: RawSpan, plaintext: RawSpan) throws(VaultFileError) -> [UInt8] {
        // Only the start of the hash needs the key, so the key is out of reach again while the plaintext is hashed.
        var hash = try withBytes { (key) throws(VaultFileError) in
            try BLAKE2b("coffer1-nonce", key: key, digestLength: SecretBox.nonceLength)
        }
        hash.update(random)
        hash.update(plaintext)
        return hash.publicDigest()
    }
}
