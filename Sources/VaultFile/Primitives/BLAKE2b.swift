internal import CSodium
package import SecureMemory

/// BLAKE2b with a label as its personalisation: the B of the file format.
///
/// The state stands in guarded memory, since it is made from the key. The corresponding C functions are
/// `crypto_generichash_blake2b_init_salt_personal`, `_update` and `_final`.
package struct BLAKE2b: ~Copyable, Sendable {
    private var state: GuardedBuffer
    private let digestLength: Int

    /// Starts a digest.
    ///
    /// - Parameters:
    ///   - label: at most 16 bytes of ASCII; filled up with zeros.
    ///   - key: none, or 16 to 64 bytes; the format has 32.
    ///   - digestLength: 16 to 64 bytes.
    package init(_ label: StaticString, key: RawSpan = RawSpan(), digestLength: Int) throws(VaultFileError) {
        var state = try GuardedBuffer(length: crypto_generichash_blake2b_statebytes())
        let personal = Self.personal(label)
        let result = unsafe state.withCBytes { state, _ in
            unsafe key.withCBytes { key, count in
                unsafe crypto_generichash_blake2b_init_salt_personal(
                    OpaquePointer(state), key, count, digestLength, nil, personal)
            }
        }
        guard result == 0 else { throw .memory }
        self.state = state
        self.digestLength = digestLength
    }

    /// Adds bytes to what is digested.
    package mutating func update(_ bytes: RawSpan) {
        unsafe state.withCBytes { state, _ in
            unsafe bytes.withCBytes { bytes, count in
                _ = unsafe crypto_generichash_blake2b_update(OpaquePointer(state), bytes, UInt64(count))
            }
        }
    }

    /// Ends a digest that is a key.
    package consuming func secretDigest() throws(VaultFileError) -> GuardedBuffer {
        var digest = try GuardedBuffer(length: digestLength)
        unsafe digest.withCBytes { digest, _ in unsafe finish(into: digest) }
        return digest
    }

    /// Ends a digest that stands in the file for all to read.
    package consuming func publicDigest() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestLength)
        unsafe finish(into: &digest)
        return digest
    }

    private mutating func finish(into digest: UnsafeMutablePointer<UInt8>) {
        let length = digestLength
        unsafe state.withCBytes { state, _ in
            _ = unsafe crypto_generichash_blake2b_final(OpaquePointer(state), digest, length)
        }
        UsedStack.clear()
    }

    private static func personal(_ label: StaticString) -> [UInt8] {
        var personal = [UInt8](repeating: 0, count: crypto_generichash_blake2b_personalbytes())
        precondition(label.utf8CodeUnitCount <= personal.count, "a label has at most 16 bytes")
        for offset in 0..<label.utf8CodeUnitCount { personal[offset] = unsafe label.utf8Start[offset] }
        return personal
    }
}

extension BLAKE2b {
    /// Digests bytes into a digest for all to read.
    package static func digest(
        _ label: StaticString, of bytes: RawSpan, key: RawSpan = RawSpan(), digestLength: Int
    ) throws(VaultFileError) -> [UInt8] {
        var hash = try BLAKE2b(label, key: key, digestLength: digestLength)
        hash.update(bytes)
        return hash.publicDigest()
    }

    /// Digests bytes into a key, or into what tells something of a secret.
    package static func secret(
        _ label: StaticString, of bytes: RawSpan, key: RawSpan = RawSpan(), digestLength: Int = 32
    ) throws(VaultFileError) -> GuardedBuffer {
        var hash = try BLAKE2b(label, key: key, digestLength: digestLength)
        hash.update(bytes)
        return try hash.secretDigest()
    }
}
