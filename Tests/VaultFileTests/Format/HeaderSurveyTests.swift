import SecureMemory
import TestSupport
import Testing
import VaultFile

@Suite struct HeaderSurveyTests {
    private static let slots = [
        MadeFile.recipientSlot(3), Slot(type: 9, data: []), Slot(type: 7, data: [UInt8](repeating: 5, count: 20)),
    ]

    private func survey(_ file: [UInt8]) throws -> HeaderSurvey {
        let body = Array(file.dropLast(VaultHeader.checkLength))
        // As a reader has it: what is cut too short has no check that could fit.
        let isCheckGood =
            file.count < VaultHeader.shortestFile
            ? nil : try VaultHeader.check(of: body.rawSpan) == Array(file.suffix(VaultHeader.checkLength))
        let prefix = Array(file.prefix(HeaderSurvey.prefixLength))
        let suffix = Array(file.suffix(VaultHeader.checkLength))
        return try HeaderSurvey(
            size: file.count, prefix: prefix.rawSpan, suffix: suffix.rawSpan, isCheckGood: isCheckGood)
    }

    private func isAccepted(_ file: [UInt8]) -> Bool { (try? VaultHeader(file.rawSpan)) != nil }

    /// What must be so of each file: the fields make it up, and one of them is faulty just where a reader refuses it.
    private func expectSound(_ file: [UInt8], _ comment: Comment) throws {
        let survey = try survey(file)
        var offset = 0
        for field in survey.fields {
            #expect(field.offset == offset && field.width > 0, comment)
            offset += field.width
        }
        #expect(offset == file.count, comment)
        guard file.starts(with: VaultHeader.magic) else { return }
        #expect(survey.fields.allSatisfy { $0.fault == nil } == isAccepted(file), comment)
    }

    @Test("the fields of a whole file have the values that a reader has")
    func whole() throws {
        let file = try MadeFile.bytes(slots: Self.slots)
        let header = try VaultHeader(file.rawSpan)
        let survey = try survey(file)
        try expectSound(file, "whole")
        let names = [
            "magic", "version", "header_len", "kdf", "cipher", "flags", "ops", "mem", "salt", "nonce", "box_len",
            "slot_count", "reserved", "slot 0 type", "slot 0 length", "slot 0 owner_pk", "slot 0 eph_pk", "slot 0 box",
            "slot 1 type", "slot 1 length", "slot 2 type", "slot 2 length", "slot 2 data", "commitment", "box", "check",
        ]
        #expect(survey.fields.map(\.name) == names)
        let values = Dictionary(uniqueKeysWithValues: survey.fields.map { ($0.name, $0.value) })
        #expect(values["header_len"] == .number(UInt64(header.length)))
        #expect(values["ops"] == .number(1) && values["mem"] == .number(8_192))
        #expect(values["salt"] == .bytes(header.keyDerivation.salt) && values["nonce"] == .bytes(header.nonce))
        #expect(values["commitment"] == .bytes(header.commitment) && values["check"] == .bytes(header.check))
        let box = header.boxRange.lowerBound
        #expect(values["box"] == .sealed(mac: Array(file[box..<box + 16])))
        let owner = [UInt8](repeating: 3, count: 32)
        let fingerprint = try Owner.fingerprint(of: owner.rawSpan)
        #expect(survey.slots.map(\.ownerFingerprint) == [fingerprint, nil, nil])
        #expect(survey.slots.map(\.offset) == [72, 188, 192])
        #expect(survey.slots.map(\.length) == [112, 0, 20])
    }

    @Test("a file cut short anywhere shows what is there, and where it ends")
    func truncated() throws {
        let file = try MadeFile.bytes(slots: Self.slots)
        for count in Array(0..<500) + Array(file.count - 40..<file.count) {
            let cut = Array(file.prefix(count))
            try expectSound(cut, "\(count) bytes")
            if count >= 108 { try expectSound(MadeFile.checked(cut), "\(count) bytes, checked") }
        }
    }

    @Test("every number of the header, with any value and a check that fits, is faulty just where a reader refuses it")
    func numbers() throws {
        let file = try MadeFile.bytes(slots: Self.slots)
        let places = [
            (8, 2), (10, 2), (12, 1), (13, 1), (14, 2), (16, 4), (20, 4), (64, 4), (68, 2), (70, 2), (72, 2), (74, 2),
            (188, 2), (190, 2), (192, 2), (194, 2),
        ]
        for (offset, width) in places {
            let old = (0..<width).reduce(UInt64(0)) { $0 | UInt64(file[offset + $1]) << (8 * $1) }
            let bounds: [UInt64] = [
                0, 1, 2, 3, 4, 16, 17, 71, 72, 112, 113, 4_096, 4_097, 8_191, 8_192, 1_048_576, 1_048_577,
            ]
            for number in bounds + [old &- 1, old, old + 1, 1 << (8 * UInt64(width)) - 1] {
                let changed = file.writing(number, at: offset, width: width)
                try expectSound(MadeFile.checked(changed), "\(number) at \(offset)")
                try expectSound(changed, "\(number) at \(offset), unchecked")
            }
        }
    }

    @Test("the work is bounded as a product")
    func product() throws {
        let file = try MadeFile.bytes().writing(16, at: 16, width: 4).writing(524_288, at: 20, width: 4)
        try expectSound(MadeFile.checked(file), "16 × 524288")
        let fault = try survey(MadeFile.checked(file)).fields.first { $0.name == "mem" }?.fault
        #expect(fault == "ops × mem is 8388608, above the limit of 4194304")
    }

    @Test("a size that no file may have is told, without reading it")
    func hostileSize() throws {
        let file = try MadeFile.bytes()
        let (prefix, suffix) = (Array(file.prefix(HeaderSurvey.prefixLength)), Array(file.suffix(32)))
        for size in [Limits.fileSize + 1, Int.max] {
            let survey = try HeaderSurvey(
                size: size, prefix: prefix.rawSpan, suffix: suffix.rawSpan, isCheckGood: nil)
            #expect(survey.fields.last?.fault?.contains("above the limit of 67113040") == true)
            #expect(survey.fields.reduce(0) { $0 + $1.width } == size)
        }
    }

    @Test("nothing is shown of a file that is no vault, but a magic that was rewritten on the way")
    func foreign() throws {
        let secret = Array("a passphrase, by mistake".utf8)
        #expect(try survey(secret).fields.map(\.value) == [.unread])
        let rewritten = try [0x89, 0x43, 0x4F, 0x46, 0x52, 0x0A, 0x1A] + MadeFile.bytes().dropFirst(8)
        #expect(try survey(rewritten).fields.first?.value == .bytes(Array(rewritten.prefix(8))))
        #expect(try survey([]).fields == [])
    }

    @Test("what a size tells of the lengths is the other way round of the padding")
    func lengths() {
        #expect(Padding.lengths(paddedTo: 4_096) == 0...4_096)
        #expect(Padding.lengths(paddedTo: 8_192) == 4_097...8_192)
        #expect(Padding.lengths(paddedTo: 65_536) == 32_769...65_536)
        #expect(Padding.lengths(paddedTo: 67_584) == 65_537...67_584)
        #expect(Padding.lengths(paddedTo: 135_168) == 131_073...135_168)
        #expect(Padding.lengths(paddedTo: 67_108_864) == 66_060_289...67_108_864)
        for size in [1, 4_095, 4_097, 65_537, 67_583, 131_073] { #expect(Padding.lengths(paddedTo: size) == nil) }
        var next = 0
        while next < 1 << 20 {
            let padded = Padding.padded(next)
            #expect(Padding.lengths(paddedTo: padded) == next...padded)
            next = padded + 1
        }
    }
}
