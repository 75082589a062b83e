import SecureMemory
import VaultFile

/// The header of a vault file: as it comes, with the right check, and with a box of the length that it names.
enum HeaderArea {
    static func run(_ input: RawSpan) {
        do throws(VaultFileError) {
            try attempt(input)
            guard input.byteCount >= 12 else { return }
            let size = Int64(bitPattern: input.littleEndian(input.byteCount - 8, as: UInt64.self))
            _ = Result { () throws(VaultFileError) in try VaultHeader.admit(size: size, start: input) }
            try attemptChecked(input.array)
            guard input.byteCount >= VaultHeader.fixedLength else { return }
            let length = Int(input.littleEndian(10, as: UInt16.self)) + VaultHeader.commitmentLength
            let boxLength = Int(input.littleEndian(64, as: UInt32.self))
            guard length < 5_000, boxLength < 17_000 else { return }
            var body = Array(input.array.prefix(length + boxLength))
            body += [UInt8](repeating: 0, count: length + boxLength - body.count)
            try attemptChecked(body)
        } catch {
            promise(false, "a header needs little memory: \(error)")
        }
    }

    /// Reads what stands before the check, with the check that belongs to it.
    private static func attemptChecked(_ body: [UInt8]) throws(VaultFileError) {
        let file = try body + VaultHeader.check(of: body.rawSpan)
        try attempt(file.rawSpan)
    }

    private static func attempt(_ file: RawSpan) throws(VaultFileError) {
        let header: VaultHeader
        do throws(VaultFileError) { header = try VaultHeader(file) } catch {
            if error == .memory { throw error }
            return try survey(file, isAccepted: false)
        }
        try survey(file, isAccepted: true)
        promise(header.fileSize == file.byteCount, "the parts make up the file")
        promise(header.boundRange.upperBound == header.boxRange.lowerBound, "the box follows the commitment")
        promise(Limits.plaintext.contains(header.plaintextLength), "a plaintext is within its limits")
        promise(header.slots.count <= Limits.slotCount, "there are no more slots than allowed")
        promise(encoded(header) == file.array(header.boundRange), "an accepted header encodes to itself")
        try header.keyDerivation.checkReadable()
        if let slot = header.slots.first(where: { $0.type == Slot.recipientType }) { try open(slot) }
    }

    /// Lists the fields, which is done for files that are refused too.
    private static func survey(_ file: RawSpan, isAccepted: Bool) throws(VaultFileError) {
        let count = file.byteCount
        var isCheckGood: Bool?
        if count >= VaultHeader.shortestFile {
            let check = file.array(count - VaultHeader.checkLength..<count)
            isCheckGood = try VaultHeader.check(of: file.extracting(first: count - VaultHeader.checkLength)) == check
        }
        let survey = try HeaderSurvey(
            size: count, prefix: file.extracting(first: min(count, HeaderSurvey.prefixLength)),
            suffix: file.extracting(last: VaultHeader.checkLength), isCheckGood: isCheckGood)
        var end = 0
        for field in survey.fields {
            promise(field.offset == end && field.width > 0, "a field follows the one before it")
            end += field.width
        }
        promise(end == count, "the fields make up the file")
        guard count >= 8, file.array(0..<8) == VaultHeader.magic else { return }
        promise(survey.fields.allSatisfy { $0.fault == nil } == isAccepted, "a field is faulty where a file is refused")
    }

    private static func encoded(_ header: VaultHeader) -> [UInt8] {
        var bytes = VaultHeader.magic + UInt16(1).littleEndianBytes + UInt16(header.length).littleEndianBytes
        bytes += header.keyDerivation.block + header.nonce
        bytes += UInt32(header.boxRange.count).littleEndianBytes + UInt16(header.slots.count).littleEndianBytes
        return header.slots.reduce(bytes + [0, 0]) { $0 + $1.encoded } + header.commitment
    }

    /// Tries a slot that nobody made for us, as the owner whom our code names.
    private static func open(_ slot: Slot) throws(VaultFileError) {
        let seed = [UInt8](repeating: 7, count: 16)
        let owner = try Owner.fingerprint(of: slot.data.rawSpan.extracting(0..<32))
        let recipient = try Recipient(seed: seed.rawSpan, ownerFingerprint: owner)
        let isOpen = try recipient.open(slot) != nil
        promise(!isOpen, "no stranger can make a slot")
    }
}
