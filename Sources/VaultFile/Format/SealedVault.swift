internal import SecureMemory

/// A whole file, ready to be written, and what its header says.
package struct SealedFile: ~Copyable {
    package let header: VaultHeader
    package let bytes: FileBytes
}

/// The two verbs of the format: a plaintext becomes a file, and a file a plaintext.
package enum SealedVault {
    /// Seals a plaintext into a whole file.
    ///
    /// Specified in the file format, *Bytes*.
    ///
    /// - Parameters:
    ///   - plaintext: a padded plaintext of 4,096 to 67,108,864 bytes.
    ///   - key: the vault's key, with the derivation it came from.
    ///   - slots: at most 16, copied into the header as they are.
    ///   - random: 32 fresh bytes for the nonce.
    /// - Throws: `limitExceeded` with the field box_len, slot_count or header_len.
    package static func seal(
        _ plaintext: RawSpan, key: MasterKey, slots: [Slot], random: RawSpan
    ) throws(VaultFileError) -> SealedFile {
        let overhead = UInt64(SecretBox.overhead)
        let boxLength = plaintext.byteCount + SecretBox.overhead
        try Limits.check(
            "box_len", UInt64(boxLength),
            in: UInt64(Limits.plaintext.lowerBound) + overhead...UInt64(Limits.plaintext.upperBound) + overhead)
        try Limits.check("slot_count", UInt64(slots.count), in: 0...UInt64(Limits.slotCount))
        let encodedSlots = slots.flatMap(\.encoded)
        let headerLength = VaultHeader.fixedLength + encodedSlots.count
        try Limits.check("header_len", UInt64(headerLength), in: 0...UInt64(Limits.headerLength))

        let nonce = try key.nonce(random: random, plaintext: plaintext)
        var start = VaultHeader.magic + UInt16(1).littleEndianBytes + UInt16(headerLength).littleEndianBytes
        start += key.keyDerivation.block
        start += nonce
        start += UInt32(boxLength).littleEndianBytes + UInt16(slots.count).littleEndianBytes + [0, 0]
        start += encodedSlots
        let commitment = try key.commitment()
        start += commitment

        var file = try FileBytes(length: start.count + boxLength + VaultHeader.checkLength)
        file.copy(from: start.rawSpan, at: 0)
        let sealingKey = try key.sealingKey(boundTo: start.rawSpan)
        unsafe file.withUnsafeMutableBytes(in: start.count..<start.count + boxLength) { box in
            unsafe SecretBox.seal(plaintext, nonce: nonce.rawSpan, key: sealingKey.bytes, into: box)
        }
        let body = start.count + boxLength
        let check = try VaultHeader.check(of: file.bytes.extracting(first: body))
        file.copy(from: check.rawSpan, at: body)
        let header = VaultHeader(
            keyDerivation: key.keyDerivation, nonce: nonce, slots: slots, commitment: commitment, check: check,
            length: headerLength, boxLength: boxLength)
        return SealedFile(header: header, bytes: file)
    }

    /// Opens a file whose header has been read, with the key that its passphrase or a slot gave.
    ///
    /// Specified in the file format, *Reading order*, steps 8 to 10.
    ///
    /// - Parameters:
    ///   - file: the whole file.
    ///   - header: the header of this file.
    ///   - key: a key derived with the header's KDF block.
    /// - Throws: `wrongPassphrase`, `tampered` or `invalidContents`.
    package static func open(
        _ file: RawSpan, header: VaultHeader, key: MasterKey
    ) throws(VaultFileError) -> VaultPlaintext {
        guard try key.matches(header) else { throw .wrongPassphrase }
        let sealingKey = try key.sealingKey(boundTo: file.extracting(header.boundRange))
        let nonce = header.nonce
        let plaintext = try SecretBox.open(
            file.extracting(header.boxRange), nonce: nonce.rawSpan, key: sealingKey.bytes)
        switch consume plaintext {
        case .some(let plaintext): return try VaultPlaintext(plaintext)
        case .none: throw .tampered
        }
    }
}

extension MasterKey {
    /// Whether a file commits to this key.
    package func matches(_ header: VaultHeader) throws(VaultFileError) -> Bool {
        guard keyDerivation == header.keyDerivation else { return false }
        let own = try commitment()
        let found = header.commitment
        return own.rawSpan.equalsInConstantTime(found.rawSpan)
    }

    /// Finds the key that a slot holds for a recipient.
    ///
    /// - Throws: `noMatchingSlot` when no slot opens to a key that the file commits to.
    package static func find(
        for recipient: borrowing Recipient, in header: VaultHeader
    ) throws(VaultFileError) -> MasterKey {
        for slot in header.slots {
            if let key = try find(for: recipient, in: slot, of: header) { return key }
        }
        throw .noMatchingSlot
    }

    private static func find(
        for recipient: borrowing Recipient, in slot: Slot, of header: VaultHeader
    ) throws(VaultFileError) -> MasterKey? {
        guard let master = try recipient.open(slot) else { return nil }
        let candidate = MasterKey(master, keyDerivation: header.keyDerivation)
        return try candidate.matches(header) ? candidate : nil
    }
}
