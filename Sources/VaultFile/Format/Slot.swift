package import SecureMemory

/// A place in the header where the master key stands sealed for somebody else than the holder of the passphrase.
///
/// Specified in the file format, *Slots: recovery and sharing*.
package struct Slot: Equatable, Sendable {
    package static let recipientType: UInt16 = 1
    package static let recipientLength = 112

    package let type: UInt16
    package let data: [UInt8]

    package init(type: UInt16, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// The bytes as they stand in the header.
    package var encoded: [UInt8] { type.littleEndianBytes + UInt16(data.count).littleEndianBytes + data }

    /// Walks all slots, which must end exactly where the header does.
    static func all(count: Int, in bytes: RawSpan) throws(VaultFileError) -> [Slot] {
        var slots: [Slot] = []
        var offset = 0
        for _ in 0..<count {
            guard bytes.byteCount - offset >= 4 else { throw .damaged(reason: "a slot runs past the header") }
            let type = bytes.littleEndian(offset, as: UInt16.self)
            let length = Int(bytes.littleEndian(offset + 2, as: UInt16.self))
            offset += 4
            guard bytes.byteCount - offset >= length else { throw .damaged(reason: "a slot runs past the header") }
            guard type != recipientType || length == recipientLength else {
                throw .damaged(reason: "a recipient's slot has the wrong length")
            }
            slots.append(Slot(type: type, data: bytes.array(offset..<offset + length)))
            offset += length
        }
        guard offset == bytes.byteCount else { throw .damaged(reason: "the slots do not end with the header") }
        return slots
    }
}

/// The names of a vault's owner: the public key and the 16 bytes that a recovery code pins.
package enum Owner {
    /// Shortens an owner's public key for a recovery code.
    package static func fingerprint(of publicKey: RawSpan) throws(VaultFileError) -> [UInt8] {
        try BLAKE2b.digest("coffer1-owner", of: publicKey, digestLength: 16)
    }
}

/// Somebody who opens a vault with a recovery code instead of a passphrase.
package struct Recipient: ~Copyable {
    private let secretKey: GuardedBuffer
    private let publicKey: [UInt8]
    private let ownerFingerprint: [UInt8]

    /// Makes the key pair of a recovery code.
    ///
    /// - Parameters:
    ///   - seed: 16 bytes.
    ///   - ownerFingerprint: 16 bytes; slots of another owner do not count.
    package init(seed: RawSpan, ownerFingerprint: [UInt8]) throws(VaultFileError) {
        let secretKey = try BLAKE2b.secret("coffer1-recover", of: seed)
        publicKey = Self.publicKey(of: secretKey)
        self.secretKey = secretKey
        self.ownerFingerprint = ownerFingerprint
    }

    // On its own: a span of the key must not outlive the move of the key into place.
    private static func publicKey(of secretKey: borrowing GuardedBuffer) -> [UInt8] {
        X25519.publicKey(of: secretKey.bytes)
    }

    /// The key by which owners know this recipient.
    package var key: [UInt8] { publicKey }

    /// Opens a slot.
    ///
    /// - Returns: the master key that stands in it, or nil when the slot is not this recipient's.
    package borrowing func open(_ slot: Slot) throws(VaultFileError) -> GuardedBuffer? {
        guard let key = try key(of: slot) else { return nil }
        return try SecretBox.open(
            slot.data.rawSpan.extracting(64..<112), nonce: SlotKey.nonce.rawSpan, key: key.bytes)
    }

    /// Derives the key of a slot.
    ///
    /// - Returns: the key, or nil when the slot is of another type or owner, or has a public key of low order.
    package borrowing func key(of slot: Slot) throws(VaultFileError) -> GuardedBuffer? {
        guard slot.type == Slot.recipientType, slot.data.count == Slot.recipientLength else { return nil }
        let data = slot.data.rawSpan
        let owner = data.extracting(0..<32)
        let ephemeral = data.extracting(32..<64)
        guard try Owner.fingerprint(of: owner) == ownerFingerprint else { return nil }
        guard let first = try X25519.shared(secret: secretKey.bytes, publicKey: ephemeral),
            let second = try X25519.shared(secret: secretKey.bytes, publicKey: owner)
        else { return nil }
        return try SlotKey.derive(
            ephemeralShared: first.bytes, ownerShared: second.bytes, owner: owner, ephemeral: ephemeral,
            recipient: publicKey.rawSpan)
    }
}

extension Slot {
    /// Seals the master key for a recipient, in the name of the owner.
    ///
    /// - Parameters:
    ///   - master: the 32 bytes to seal.
    ///   - recipient: the recipient's public key, 32 bytes.
    ///   - owner: the vault's owner key, 32 bytes.
    ///   - random: 32 fresh bytes, so that a weak generator alone cannot repeat an ephemeral key.
    /// - Returns: the slot, or nil when the recipient's key is of low order.
    package static func seal(
        master: RawSpan, for recipient: RawSpan, owner: RawSpan, random: RawSpan
    ) throws(VaultFileError) -> Slot? {
        var hash = try BLAKE2b("coffer1-slote", key: owner, digestLength: 32)
        hash.update(random)
        hash.update(master)
        hash.update(recipient)
        let ephemeral = try hash.secretDigest()
        let ephemeralKey = X25519.publicKey(of: ephemeral.bytes)
        let ownerKey = X25519.publicKey(of: owner)
        guard let first = try X25519.shared(secret: ephemeral.bytes, publicKey: recipient),
            let second = try X25519.shared(secret: owner, publicKey: recipient)
        else { return nil }
        let key = try SlotKey.derive(
            ephemeralShared: first.bytes, ownerShared: second.bytes, owner: ownerKey.rawSpan,
            ephemeral: ephemeralKey.rawSpan, recipient: recipient)
        var box = [UInt8](repeating: 0, count: 48)
        unsafe box.withUnsafeMutableBytes { box in
            unsafe SecretBox.seal(master, nonce: SlotKey.nonce.rawSpan, key: key.bytes, into: box)
        }
        return Slot(type: recipientType, data: ownerKey + ephemeralKey + box)
    }
}

/// The key of one slot: both Diffie-Hellman results, bound to the three public keys (HPKE's Auth mode, RFC 9180).
private enum SlotKey {
    // Each slot has a key of its own, so one nonce serves all.
    static let nonce = [UInt8](repeating: 0, count: SecretBox.nonceLength)

    static func derive(
        ephemeralShared: RawSpan, ownerShared: RawSpan, owner: RawSpan, ephemeral: RawSpan, recipient: RawSpan
    ) throws(VaultFileError) -> GuardedBuffer {
        var hash = try BLAKE2b("coffer1-slotk", digestLength: 32)
        hash.update(ephemeralShared)
        hash.update(ownerShared)
        hash.update(owner)
        hash.update(ephemeral)
        hash.update(recipient)
        return try hash.secretDigest()
    }
}
