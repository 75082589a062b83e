internal import SecureMemory

/// All fields of a file in their order, one directly after another, as far as they can be read.
///
/// It is for looking into files that a reader refuses as well as for good ones. It judges each field by itself, so it
/// can find more than the one failure that ends the reading order. Specified in the file format, *Bytes*.
package struct HeaderSurvey: Equatable, Sendable {
    /// How many first bytes of a file tell everything: the longest header, the commitment and the MAC.
    package static let prefixLength = Limits.headerLength + VaultHeader.commitmentLength + SecretBox.overhead

    package private(set) var fields: [HeaderField] = []
    package private(set) var slots: [SlotSummary] = []
    private let start: [UInt8]
    /// Where the bytes before the check end.
    private let bodyEnd: Int

    /// Looks at a file.
    ///
    /// - Parameters:
    ///   - size: the number of its bytes.
    ///   - prefix: its first bytes, as many as `prefixLength` or all.
    ///   - suffix: its last 32 bytes, or all.
    ///   - isCheckGood: whether the check at its end fits; nil when that was not computed.
    /// - Throws: `memory`.
    package init(size: Int, prefix: RawSpan, suffix: RawSpan, isCheckGood: Bool?) throws(VaultFileError) {
        start = prefix.array(0..<min(prefix.byteCount, size))
        let isVault = VaultHeader.hasMagic(prefix)
        // Where the end is missing, the last bytes are those of a field before it.
        let shortest = VaultHeader.fixedLength + VaultHeader.commitmentLength + VaultHeader.checkLength
        let hasCheck = isVault && (size >= shortest || size >= VaultHeader.shortestFile && isCheckGood == true)
        bodyEnd = hasCheck ? size - VaultHeader.checkLength : size
        if isVault {
            try readHeader(size: size)
        } else if start.count >= 5, start[1..<5] == VaultHeader.magic[1..<5] {
            add("magic", min(VaultHeader.magic.count, start.count), fault: "not the magic of a vault") { .bytes($0) }
        }
        // Nothing is shown of a file that is somebody else's: it may be the one with the passphrase.
        if nextOffset < bodyEnd {
            append(HeaderField(name: "unread", offset: nextOffset, width: bodyEnd - nextOffset, value: .unread))
        }
        if hasCheck {
            let check = suffix.array(suffix.byteCount - VaultHeader.checkLength..<suffix.byteCount)
            let fault =
                isCheckGood == false ? "does not match the bytes before it: they changed or some are missing" : nil
            append(
                HeaderField(name: "check", offset: bodyEnd, width: check.count, value: .bytes(check), fault: fault))
        }
        if size > Limits.fileSize {
            mark(fields.last?.name, "the file has \(size) bytes, above the limit of \(Limits.fileSize)")
        }
    }

    /// Where the next field starts.
    private var nextOffset: Int { fields.last.map { $0.offset + $0.width } ?? 0 }

    private mutating func append(_ field: HeaderField) { fields.append(field) }

    // MARK: Fields

    private mutating func readHeader(size: Int) throws(VaultFileError) {
        add("magic", 8) { .bytes($0) }
        guard let version = addNumber("version", 2, known: 1), version == 1 else { return }
        guard let headerLength = addNumber("header_len", 2, VaultHeader.fixedLength...Limits.headerLength),
            addNumber("kdf", 1, known: 1) != nil, addNumber("cipher", 1, known: 1) != nil,
            addNumber("flags", 2, known: 0) != nil,
            let passes = addNumber("ops", 4, Int(Limits.passes.lowerBound)...Int(Limits.passes.upperBound)),
            let memory = addNumber("mem", 4, Int(Limits.memoryKiB.lowerBound)...Int(Limits.memoryKiB.upperBound)),
            add("salt", 16, { .bytes($0) }), add("nonce", 24, { .bytes($0) }),
            let boxLength = addNumber(
                "box_len", 4,
                Limits.plaintext.lowerBound + SecretBox.overhead...Limits.plaintext.upperBound + SecretBox.overhead),
            let slotCount = addNumber("slot_count", 2, 0...Limits.slotCount),
            addNumber("reserved", 2, known: 0) != nil
        else { return }
        let cost = UInt64(passes) * UInt64(memory)
        if cost > Limits.passesTimesMemory {
            mark("mem", "ops × mem is \(cost), above the limit of \(Limits.passesTimesMemory)")
        }
        guard (VaultHeader.fixedLength...Limits.headerLength).contains(headerLength) else { return }
        try readSlots(count: min(slotCount, Limits.slotCount), end: headerLength)
        if nextOffset < min(headerLength, bodyEnd) {
            if slots.count == slotCount { mark("header_len", "the slots end at \(nextOffset)") }
            let width = min(headerLength, bodyEnd) - nextOffset
            append(HeaderField(name: "unread", offset: nextOffset, width: width, value: .unread))
        }
        guard nextOffset == headerLength, add("commitment", VaultHeader.commitmentLength, { .bytes($0) }) else {
            return mark("header_len", "the file ends at \(size)")
        }
        let isWhole = bodyEnd - nextOffset == boxLength
        let fault = isWhole ? nil : "box_len is \(boxLength), but \(bodyEnd - nextOffset) bytes are there"
        if !add("box", bodyEnd - nextOffset, fault: fault, { .sealed(mac: Array($0.prefix(SecretBox.overhead))) }) {
            mark("commitment", "the file ends after it")
        }
    }

    private mutating func readSlots(count: Int, end: Int) throws(VaultFileError) {
        for index in 0..<count {
            let offset = nextOffset
            guard end - offset >= 4 else { return mark("slot_count", "slot \(index) runs past the header") }
            guard let type = addNumber("slot \(index) type", 2), let length = addNumber("slot \(index) length", 2)
            else {
                return
            }
            guard length <= end - nextOffset else {
                return mark("slot \(index) length", "runs past the header, which ends at \(end)")
            }
            var fingerprint: [UInt8]?
            if type == Int(Slot.recipientType), length == Slot.recipientLength {
                guard add("slot \(index) owner_pk", 32, { .bytes($0) }) else { return }
                let owner = Array(start[nextOffset - 32..<nextOffset])
                fingerprint = try Owner.fingerprint(of: owner.rawSpan)
                guard add("slot \(index) eph_pk", 32, { .bytes($0) }), add("slot \(index) box", 48, { .bytes($0) })
                else { return }
            } else {
                if type == Int(Slot.recipientType) {
                    mark("slot \(index) length", "not \(Slot.recipientLength), as a recipient's slot has")
                }
                guard length == 0 || add("slot \(index) data", length, { .bytes($0) }) else { return }
            }
            slots.append(
                SlotSummary(offset: offset, type: UInt16(type), length: length, ownerFingerprint: fingerprint))
        }
    }

    /// Adds the next field, or what there is of it.
    ///
    /// - Returns: whether all of it is there.
    @discardableResult
    private mutating func add(
        _ name: String, _ width: Int, fault: String? = nil, _ value: ([UInt8]) -> HeaderField.Value
    ) -> Bool {
        let offset = nextOffset
        let there = min(width, bodyEnd - offset)
        guard width > 0, there == width else {
            if there <= 0 {
                mark(fields.last?.name, "the file ends after it")
            } else {
                let bytes = Array(start[min(offset, start.count)..<min(offset + there, start.count)])
                append(
                    HeaderField(
                        name: name, offset: offset, width: there, value: .bytes(bytes),
                        fault: "cut short: \(there) of \(width) bytes"))
            }
            return false
        }
        let bytes = Array(start[min(offset, start.count)..<min(offset + width, start.count)])
        append(HeaderField(name: name, offset: offset, width: width, value: value(bytes), fault: fault))
        return true
    }

    /// Adds the next field and judges it.
    ///
    /// - Returns: the number; nil when the file ends before.
    private mutating func addNumber(
        _ name: String, _ width: Int, _ range: ClosedRange<Int>? = nil, known: Int? = nil
    ) -> Int? {
        var number = 0
        let isThere = add(name, width) { bytes in
            for byte in bytes.reversed() { number = number << 8 | Int(byte) }
            return .number(UInt64(number))
        }
        guard isThere else { return nil }
        if let known, number != known { mark(name, "not \(known): this program knows no other") }
        if let range, number > range.upperBound { mark(name, "above the limit of \(range.upperBound)") }
        if let range, number < range.lowerBound { mark(name, "below the least, \(range.lowerBound)") }
        return number
    }

    /// Adds what is wrong with a field, unless something is already said of it.
    private mutating func mark(_ name: String?, _ fault: String) {
        guard let index = fields.firstIndex(where: { $0.name == name }), fields[index].fault == nil else { return }
        fields[index].fault = fault
    }
}
