import Foundation
import TestSupport
import Testing

@Suite struct MemoryScanTests {
    static func spelled(_ value: [UInt8], _ form: MemoryScan.Form, _ shift: Int) -> [UInt8] {
        let text = String(decoding: value, as: UTF8.self)
        return switch form {
        case .raw: value
        case .utf16: Array(text.data(using: shift == 0 ? .utf16LittleEndian : .utf16BigEndian) ?? Data())
        case .base64:
            Array((Data(repeating: 0x61, count: shift) + Data(value) + Data([0x62])).base64EncodedString().utf8)
        case .hexLower: Array(value.map { String(format: "%02x", $0) }.joined().utf8)
        case .hexUpper: Array(value.map { String(format: "%02X", $0) }.joined().utf8)
        case .fragment: Array(value[(3 + shift)..<(19 + shift)])
        }
    }

    @Test("a planted value is found in every spelling", arguments: MemoryScan.Form.allCases, 0..<3)
    func planted(form: MemoryScan.Form, shift: Int) throws {
        let value = canary()
        let child = try MemoryScanChild("ResidueProbe", ["control"])
        try child.send(Self.spelled(value, form, shift))
        #expect(try child.line() == "holding")
        guard let report = try scan(MemoryScan(["planted": value, "absent": canary()]), child) else { return }
        let forms = report["planted"].map(\.form)
        #expect(forms == [form], "\(report)")
        #expect(report["absent"].isEmpty)
    }

    @Test("skipping pages that hold nothing of their own finds the same")
    func everything() throws {
        let value = canary()
        let child = try MemoryScanChild("ResidueProbe", ["control"])
        try child.send(value)
        #expect(try child.line() == "holding")
        let search = MemoryScan(["planted": value])
        guard let whole = try scan(search, child, everything: true), let quick = try scan(search, child) else { return }
        #expect(whole["planted"].map(\.address) == quick["planted"].map(\.address))
        #expect(whole["planted"].count == 1, "\(whole)")
        #expect(whole.bytesRead > quick.bytesRead)
    }

    @Test("a process that is not there cannot be scanned")
    func absent() throws {
        #expect(throws: MemoryScan.Forbidden.self) { try MemoryScan(["x": canary()]).run(pid_t.max) }
    }
}
