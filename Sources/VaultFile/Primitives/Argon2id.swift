internal import CSodium
package import SecureMemory

/// Argon2id version 1.3 with one lane, as RFC 9106 defines it.
package enum Argon2id {
    package static let saltLength = 16

    /// Derives a key of 32 bytes from a passphrase.
    ///
    /// The corresponding C function is `crypto_pwhash` with `crypto_pwhash_ALG_ARGON2ID13`.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: 16 bytes.
    ///   - passes: 1 or more.
    ///   - memoryKiB: 8 or more, in KiB.
    /// - Throws: `notEnoughMemory` when the derivation cannot run.
    package static func derive(
        _ passphrase: RawSpan, salt: RawSpan, passes: UInt32, memoryKiB: UInt32
    ) throws(VaultFileError) -> GuardedBuffer {
        try derive(
            passphrase, salt: salt, passes: UInt64(passes), memoryBytes: UInt64(memoryKiB) * 1024, length: 32)
    }

    /// Derives a key of any length that libsodium allows, as the public test vectors want.
    package static func derive(
        _ passphrase: RawSpan, salt: RawSpan, passes: UInt64, memoryBytes: UInt64, length: Int
    ) throws(VaultFileError) -> GuardedBuffer {
        let refusal = VaultFileError.notEnoughMemory(memoryKiB: UInt32(clamping: memoryBytes / 1024))
        guard salt.byteCount == saltLength, let memory = Int(exactly: memoryBytes) else { throw refusal }
        var key = try GuardedBuffer(length: length)
        let result = unsafe key.withCBytes { key, _ in
            unsafe passphrase.withCBytes { passphrase, count in
                unsafe salt.withCBytes { salt, _ in
                    unsafe passphrase.withMemoryRebound(to: CChar.self, capacity: count) { passphrase in
                        unsafe crypto_pwhash(
                            key, UInt64(length), passphrase, UInt64(count), salt, passes, memory,
                            crypto_pwhash_alg_argon2id13())
                    }
                }
            }
        }
        UsedStack.clear()
        guard result == 0 else { throw refusal }
        return key
    }
}
