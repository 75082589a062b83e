internal import CSodium
package import SecureMemory

/// XSalsa20-Poly1305: encryption that notices any change, under a 32-byte key and a 24-byte nonce.
package enum SecretBox {
    /// What a box is longer than its message: the authenticator, which stands first.
    package static let overhead = 16
    package static let nonceLength = 24
    package static let keyLength = 32

    /// Seals a message into a box.
    ///
    /// The corresponding C function is `crypto_secretbox_easy`.
    ///
    /// - Parameters:
    ///   - message: the plaintext.
    ///   - nonce: 24 bytes, never used twice with this key.
    ///   - key: 32 bytes.
    ///   - box: takes the message's length and 16 bytes more; another length traps.
    package static func seal(
        _ message: RawSpan, nonce: RawSpan, key: RawSpan, into box: UnsafeMutableRawBufferPointer
    ) {
        precondition(nonce.byteCount == nonceLength && key.byteCount == keyLength)
        precondition(box.count == message.byteCount + overhead)
        guard let box = box.baseAddress else { return }
        unsafe message.withCBytes { message, count in
            unsafe nonce.withCBytes { nonce, _ in
                unsafe key.withCBytes { key, _ in
                    _ = unsafe crypto_secretbox_easy(
                        box.assumingMemoryBound(to: UInt8.self), message, UInt64(count), nonce, key)
                }
            }
        }
        UsedStack.clear()
    }

    /// Opens a box into a new guarded buffer.
    ///
    /// The corresponding C function is `crypto_secretbox_open_easy`; 1.0.18 leaves the first 32 bytes that it opens on
    /// the stack, so the stack is cleared after it.
    ///
    /// - Returns: the message, or nil when the box does not belong to the nonce and key.
    package static func open(_ box: RawSpan, nonce: RawSpan, key: RawSpan) throws(VaultFileError) -> GuardedBuffer? {
        guard box.byteCount >= overhead, nonce.byteCount == nonceLength, key.byteCount == keyLength else { return nil }
        var message = try GuardedBuffer(length: box.byteCount - overhead)
        let result = unsafe message.withCBytes { message, _ in
            unsafe box.withCBytes { box, count in
                unsafe nonce.withCBytes { nonce, _ in
                    unsafe key.withCBytes { key, _ in
                        unsafe crypto_secretbox_open_easy(message, box, UInt64(count), nonce, key)
                    }
                }
            }
        }
        UsedStack.clear()
        if result == 0 { return message }
        return nil
    }
}
