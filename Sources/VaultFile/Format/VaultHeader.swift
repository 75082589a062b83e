internal import SecureMemory

/// What a vault file says without a passphrase, and where in the file the rest stands.
///
/// Specified in the file format, *Bytes* and *Reading order*, steps 1 to 6.
package struct VaultHeader: Equatable, Sendable {
    package static let magic: [UInt8] = [0x89, 0x43, 0x4F, 0x46, 0x52, 0x0D, 0x0A, 0x1A]
    /// The header without slots.
    package static let fixedLength = 72
    package static let commitmentLength = 32
    package static let checkLength = 32
    /// How much longer the box is than the plaintext.
    package static let boxOverhead = SecretBox.overhead
    /// The shortest file of any version: magic, version and check.
    package static let shortestFile = 42

    package let keyDerivation: KeyDerivation
    package let nonce: [UInt8]
    package let slots: [Slot]
    package let commitment: [UInt8]
    package let check: [UInt8]
    /// The header's length, slots included: H of the format.
    package let length: Int
    /// The bytes that the sealing key is bound to: header and commitment.
    package var boundRange: Range<Int> { 0..<length + Self.commitmentLength }
    package let boxRange: Range<Int>
    /// The plaintext's length, padding included.
    package var plaintextLength: Int { boxRange.count - SecretBox.overhead }

    /// Describes a file that is being sealed.
    init(
        keyDerivation: KeyDerivation, nonce: [UInt8], slots: [Slot], commitment: [UInt8], check: [UInt8],
        length: Int, boxLength: Int
    ) {
        self.keyDerivation = keyDerivation
        self.nonce = nonce
        self.slots = slots
        self.commitment = commitment
        self.check = check
        self.length = length
        let boxStart = length + Self.commitmentLength
        boxRange = boxStart..<boxStart + boxLength
    }

    /// The size of the file that has this header.
    package var fileSize: Int { boxRange.upperBound + Self.checkLength }

    /// Judges a file by its size and first bytes, before room is made for the rest.
    ///
    /// - Parameters:
    ///   - size: the file's size in bytes.
    ///   - start: the first 10 bytes, or as many as there are.
    /// - Throws: `notAVault`, `damaged`, `unsupportedVersion` or `limitExceeded` with the field size.
    package static func admit(size: Int64, start: RawSpan) throws(VaultFileError) {
        guard hasMagic(start) else { throw .notAVault }
        guard size >= shortestFile, start.byteCount >= 10 else { throw .damaged(reason: "the file is cut short") }
        guard size <= Limits.fileSize else {
            let version = start.littleEndian(8, as: UInt16.self)
            if version != 1 { throw .unsupportedVersion(version) }
            throw .limitExceeded(field: "size", value: UInt64(size), bound: UInt64(Limits.fileSize))
        }
    }

    /// Reads the header of a whole file.
    ///
    /// - Throws: `notAVault`, `damaged`, `unsupportedVersion`, `unsupportedFeature` or `limitExceeded`.
    package init(_ file: RawSpan) throws(VaultFileError) {
        try Self.admit(size: Int64(file.byteCount), start: file.extracting(first: min(file.byteCount, 10)))
        let body = file.extracting(first: file.byteCount - Self.checkLength)
        let check = file.array(file.byteCount - Self.checkLength..<file.byteCount)
        guard try Self.check(of: body) == check else {
            throw .damaged(reason: "the check at its end does not match: bytes changed or went missing")
        }
        let version = file.littleEndian(8, as: UInt16.self)
        guard version == 1 else { throw .unsupportedVersion(version) }
        guard file.byteCount >= Self.fixedLength + Self.commitmentLength else {
            throw .damaged(reason: "the file is too short for a header")
        }
        try Self.checkFeatures(file)
        let keyDerivation = KeyDerivation(
            passes: file.littleEndian(16, as: UInt32.self), memoryKiB: file.littleEndian(20, as: UInt32.self),
            salt: file.array(24..<40))
        try keyDerivation.checkReadable()

        let length = Int(file.littleEndian(10, as: UInt16.self))
        let boxLength = UInt64(file.littleEndian(64, as: UInt32.self))
        let slotCount = file.littleEndian(68, as: UInt16.self)
        try Limits.check("header_len", UInt64(length), in: 0...UInt64(Limits.headerLength))
        try Limits.check("slot_count", UInt64(slotCount), in: 0...UInt64(Limits.slotCount))
        let overhead = UInt64(SecretBox.overhead)
        try Limits.check(
            "box_len", boxLength,
            in: UInt64(Limits.plaintext.lowerBound) + overhead...UInt64(Limits.plaintext.upperBound) + overhead)
        guard length >= Self.fixedLength else { throw .damaged(reason: "the header's length is too small") }
        let boxStart = length + Self.commitmentLength
        guard file.byteCount == boxStart + Int(boxLength) + Self.checkLength else {
            throw .damaged(reason: "the file's size is not what its header says")
        }
        slots = try Slot.all(count: Int(slotCount), in: file.extracting(Self.fixedLength..<length))
        self.keyDerivation = keyDerivation
        self.length = length
        self.check = check
        nonce = file.array(40..<64)
        commitment = file.array(length..<boxStart)
        boxRange = boxStart..<boxStart + Int(boxLength)
    }

    /// Digests what stands before the check: a guard against damage, not against an attacker.
    package static func check(of body: RawSpan) throws(VaultFileError) -> [UInt8] {
        try BLAKE2b.digest("coffer-check", of: body, digestLength: checkLength)
    }

    /// Whether a file starts as vaults do.
    static func hasMagic(_ start: RawSpan) -> Bool {
        start.byteCount >= magic.count && start.array(0..<magic.count) == magic
    }

    private static func checkFeatures(_ file: RawSpan) throws(VaultFileError) {
        let features: [(name: String, value: UInt64, known: UInt64)] = [
            ("kdf", UInt64(file[12]), 1),
            ("cipher", UInt64(file[13]), 1),
            ("flags", UInt64(file.littleEndian(14, as: UInt16.self)), 0),
            ("reserved", UInt64(file.littleEndian(70, as: UInt16.self)), 0),
        ]
        for feature in features where feature.value != feature.known {
            throw .unsupportedFeature(field: feature.name, value: feature.value)
        }
    }
}
