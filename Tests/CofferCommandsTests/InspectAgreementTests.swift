import Foundation
import TestSupport
import Testing
import VaultFile

/// `inspect` and the second implementation read the same fields from the same bytes.
@Suite struct InspectAgreementTests {
    /// The lines of `--explain` that begin with an offset and a width: name and value.
    private func explained(_ path: String) throws -> [String: (offset: Int, width: Int, value: String)] {
        let program = Repository.root.appendingPathComponent("Tests/Audit/coffer_audit.py").path
        let outcome = try CommandRunner("/usr/bin/python3").run([program, "--explain", path])
        #expect(outcome.code == 0, "\(outcome.messages)")
        var rows: [String: (Int, Int, String)] = [:]
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 3, let offset = Int(words[0]), let width = Int(words[1]) else { continue }
            // A slot's fields have names of three words: "slot 0 type".
            let length = words[2] == "slot" ? 3 : 1
            guard words.count >= 2 + length else { continue }
            let name = words[2..<2 + length].joined(separator: " ")
            rows[name] = (offset, width, words.count > 2 + length ? words[2 + length] : "")
        }
        return rows
    }

    @Test("offset, width and value of every field", arguments: [0, 1, 2, 16])
    func fields(count: Int) throws {
        let session = try CofferSession()
        let slots = (0..<count).map { index in
            index == 1 ? Slot(type: 400, data: [1, 2, 3]) : MadeFile.recipientSlot(UInt8(index))
        }
        let plaintext = [UInt8](repeating: 0, count: count == 2 ? 135_168 : 4_096)
        let path = try session.fixture.file("made", MadeFile.bytes(plaintext: plaintext, slots: slots))
        let (_, json) = try session.inspect(path)
        let rows = try explained(path)
        let names = [
            "magic", "version", "header_len", "kdf", "cipher", "flags", "ops", "mem", "salt", "nonce", "box_len",
            "slot_count", "reserved", "commitment", "box", "check",
        ]
        for name in names {
            let field = try #require(json.field(name))
            let row = try #require(rows[name], "\(name)")
            #expect(field["offset"] as? Int == row.offset && field["width"] as? Int == row.width, "\(name)")
            let value = field["value"].map { "\($0)" }
            // Of the box each shows what it likes.
            if name != "box" { #expect(value == row.value, "\(name)") }
        }
        let seen = try #require(json.object["slots"] as? [[String: Any]])
        #expect(seen.count == count)
        for (index, slot) in seen.enumerated() {
            #expect(rows["slot \(index) type"]?.offset == slot["offset"] as? Int)
            #expect(rows["slot \(index) length"]?.value == (slot["length"] as? Int).map(String.init))
        }
        for name in rows.keys where name.hasPrefix("slot ") {
            let field = try #require(json.field(name), "\(name)")
            let row = try #require(rows[name])
            #expect(field["offset"] as? Int == row.offset && field["width"] as? Int == row.width, "\(name)")
            #expect(field["value"].map { "\($0)" } == row.value, "\(name)")
        }
    }
}
