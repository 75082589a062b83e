internal import CSodium
package import SecureMemory

/// The Diffie-Hellman function on Curve25519, as RFC 7748 defines it.
package enum X25519 {
    package static let keyLength = 32

    /// Computes the public key of a secret key of 32 bytes.
    ///
    /// The corresponding C function is `crypto_scalarmult_base`.
    package static func publicKey(of secret: RawSpan) -> [UInt8] {
        precondition(secret.byteCount == keyLength)
        var point = [UInt8](repeating: 0, count: keyLength)
        unsafe secret.withCBytes { secret, _ in _ = unsafe crypto_scalarmult_base(&point, secret) }
        UsedStack.clear()
        return point
    }

    /// Computes the secret that two holders share.
    ///
    /// The corresponding C function is `crypto_scalarmult`.
    ///
    /// - Returns: 32 bytes, or nil for a public key of low order.
    package static func shared(secret: RawSpan, publicKey: RawSpan) throws(VaultFileError) -> GuardedBuffer? {
        precondition(secret.byteCount == keyLength && publicKey.byteCount == keyLength)
        var point = try GuardedBuffer(length: keyLength)
        let result = unsafe point.withCBytes { point, _ in
            unsafe secret.withCBytes { secret, _ in
                unsafe publicKey.withCBytes { other, _ in unsafe crypto_scalarmult(point, secret, other) }
            }
        }
        UsedStack.clear()
        if result == 0 { return point }
        return nil
    }
}
