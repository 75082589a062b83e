import SecureMemory
package import VaultFile

/// A vault file with a header of the test's choice, sealed under the passphrase of all temporary vaults.
package enum MadeFile {
    /// Seals a plaintext.
    ///
    /// - Parameters:
    ///   - plaintext: any bytes; what is no vault's opens to `invalidContents`.
    ///   - slots: copied into the header.
    package static func bytes(
        plaintext: [UInt8] = [UInt8](repeating: 0, count: 4_096), slots: [Slot] = []
    ) throws -> [UInt8] {
        let random = [UInt8](repeating: 7, count: 32)
        let key = try key()
        // Bound first: the optimiser of Swift 6.3 ends on a span of a temporary that does not copy.
        let sealed = try SealedVault.seal(plaintext.rawSpan, key: key, slots: slots, random: random.rawSpan)
        return sealed.bytes.bytes.array
    }

    /// Makes the check fit again.
    package static func checked(_ file: [UInt8]) throws -> [UInt8] {
        let body = Array(file.dropLast(VaultHeader.checkLength))
        return body + (try VaultHeader.check(of: body.rawSpan))
    }

    /// A slot that opens for nobody, but looks as if.
    package static func recipientSlot(_ byte: UInt8) -> Slot {
        Slot(type: Slot.recipientType, data: [UInt8](repeating: byte, count: Slot.recipientLength))
    }

    private static func key() throws -> MasterKey {
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        return try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: TemporaryVault.cheap)
    }
}

extension [UInt8] {
    /// A copy with a little-endian number in a place.
    package func writing(_ number: UInt64, at offset: Int, width: Int) -> [UInt8] {
        var copy = self
        for index in 0..<width { copy[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return copy
    }
}
