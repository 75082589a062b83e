import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultFile

/// What `inspect` shows of a file without its passphrase.
@Suite struct InspectCommandTests {
    private static let keys = [
        "path", "version", "passes", "memoryKiB", "slotTypes", "headerBytes", "sealedBytes", "fileBytes", "salt",
        "nonce",
        "commitment", "check", "contentsBytes", "fields", "slots", "contents", "verdict",
    ]

    @Test("a whole file is shown field by field, and nobody is asked for anything")
    func whole() throws {
        let session = try CofferSession()
        let (text, json) = try session.inspect(session.fixture.path)
        let bytes = try session.fixture.bytes()
        #expect(text.code == 0 && text.messages.isEmpty)
        #expect(
            text.output.hasPrefix("\(session.fixture.path): 4248 bytes\n\n  offset    width  field             value\n")
        )
        for line in [
            "       0        8  magic             89434f46520d0a1a", "      12        1  kdf               1  Argon2id",
            "      16        4  ops               1  pass", "      20        4  mem               8192  KiB",
            "      24       16  salt              \(Array(bytes[24..<40]).hex)",
            "      72       32  commitment        \(Array(bytes[72..<88]).hex)",
            "                                     \(Array(bytes[88..<104]).hex)",
            "     104     4112  box               \(Array(bytes[104..<120]).hex)",
            "    4216       32  check             \(Array(bytes[4216..<4232]).hex)",
            "sealed: 4096 bytes, of which settings and metadata take 0 to 4064",
            "file: whole, as far as can be seen without the passphrase",
        ] { #expect(text.output.contains(line + "\n"), "\(line)") }
        #expect(Set(json.object.keys) == Set(Self.keys))
        #expect(json.object["passes"] as? Int == 1 && json.object["memoryKiB"] as? Int == 8_192)
        #expect(json.object["version"] as? Int == 1 && json.object["headerBytes"] as? Int == 72)
        #expect(json.object["sealedBytes"] as? Int == 4_096 && json.object["fileBytes"] as? Int == 4_248)
        #expect(json.object["check"] as? String == Array(bytes.suffix(32)).hex)
        #expect(json.contents == nil && json.verdict["class"] as? String == "success")
        #expect(json.fields.count == 16 && json.fields.allSatisfy { $0["fault"] is NSNull })
        #expect(json.field("box")?["offset"] as? Int == 104 && json.field("box")?["width"] as? Int == 4_112)
    }

    @Test("slots are shown one by one, with what is public of their owner")
    func slots() throws {
        let session = try CofferSession()
        let many =
            (0..<15).map { MadeFile.recipientSlot($0) } + [Slot(type: 65_535, data: [UInt8](repeating: 1, count: 300))]
        let path = try session.fixture.file("slots", MadeFile.bytes(slots: many))
        let (text, json) = try session.inspect(path)
        let owner = [UInt8](repeating: 14, count: 32)
        let fingerprint = try Owner.fingerprint(of: owner.rawSpan).hex
        #expect(text.code == 0)
        #expect(text.output.contains("slot 14: its owner has the fingerprint \(fingerprint)\n"))
        #expect(text.output.contains("  slot 15 type      65535  not known here\n"))
        #expect(text.output.contains("… 172 more; --json shows all\n"))
        #expect(json.object["slotTypes"] as? [Int] == Array(repeating: 1, count: 15) + [65_535])
        let slots = try #require(json.object["slots"] as? [[String: Any]])
        #expect(slots.count == 16 && slots[14]["ownerFingerprint"] as? String == fingerprint)
        #expect(slots[14]["offset"] as? Int == 72 + 14 * 116 && slots[15]["length"] as? Int == 300)
        #expect(json.field("slot 15 data")?["value"] as? String == String(repeating: "01", count: 300))
    }

    /// A broken file: what to write where, whether the check is made to fit, and what is to be said of it.
    struct Broken: CustomTestStringConvertible, Sendable {
        let offset: Int
        let width: Int
        let number: UInt64
        let isChecked: Bool
        let failure: String
        let code: Int32
        let field: String
        let fault: String

        var testDescription: String { "\(field) \(number)" }

        init(
            _ offset: Int, _ width: Int, _ number: UInt64, unchecked: Bool = false, _ failure: String, _ code: Int32,
            _ field: String, _ fault: String
        ) {
            (self.offset, self.width, self.number, isChecked) = (offset, width, number, !unchecked)
            (self.failure, self.code, self.field, self.fault) = (failure, code, field, fault)
        }
    }

    @Test(
        "a file that is refused is shown all the same, with the rule that is broken beside its field",
        arguments: [
            Broken(200, 1, 0, unchecked: true, "damaged", 5, "check", "does not match the bytes before it"),
            Broken(8, 2, 2, "unsupportedVersion", 4, "version", "not 1"),
            Broken(8, 2, 2, unchecked: true, "damaged", 5, "check", "does not match"),
            Broken(12, 1, 2, "unsupportedFeature", 4, "kdf", "not 1"),
            Broken(14, 2, 65_535, "unsupportedFeature", 4, "flags", "not 0"),
            Broken(16, 4, 17, "limitExceeded", 6, "ops", "above the limit of 16"),
            Broken(20, 4, 1, "limitExceeded", 6, "mem", "below the least, 8192"),
            Broken(10, 2, 4_097, "limitExceeded", 6, "header_len", "above the limit of 4096"),
            Broken(10, 2, 71, "damaged", 5, "header_len", "below the least, 72"),
            Broken(10, 2, 80, "damaged", 5, "header_len", "the slots end at 72"),
            Broken(68, 2, 17, "limitExceeded", 6, "slot_count", "above the limit of 16"),
            Broken(68, 2, 1, "damaged", 5, "slot_count", "slot 0 runs past the header"),
            Broken(64, 4, 4_111, "limitExceeded", 6, "box_len", "below the least, 4112"),
            Broken(64, 4, 8_208, "damaged", 5, "box", "box_len is 8208, but 4112 bytes are there"),
            Broken(64, 4, 4_294_967_295, "limitExceeded", 6, "box_len", "above the limit of 67108880"),
        ])
    func broken(_ broken: Broken) throws {
        let session = try CofferSession()
        var bytes = try MadeFile.bytes().writing(broken.number, at: broken.offset, width: broken.width)
        if broken.isChecked { bytes = try MadeFile.checked(bytes) }
        let path = try session.fixture.file("broken", bytes)
        let (text, json) = try session.inspect(path)
        #expect(text.code == broken.code)
        #expect(text.messages.hasPrefix("coffer: the vault \"\(path)\""))
        // Never less than `check` says.
        #expect(try session.runner.run(["check", path]).messages == text.messages)
        #expect(text.output.hasSuffix("\nverdict: \(broken.failure), exit code \(broken.code)\n"))
        #expect(!text.output.contains("file: whole"))
        #expect(text.output.contains("  ! \(broken.fault.prefix(24))"), "\(text.output)")
        #expect(json.verdict["class"] as? String == broken.failure)
        #expect(json.fault(broken.field)?.hasPrefix(broken.fault) == true, "\(json.fields)")
        #expect(Set(json.object.keys) == Set(Self.keys))
        #expect(json.fault("magic") == nil && json.field("magic") != nil)
        #expect(json.object["fileBytes"] as? Int == bytes.count)
    }

    @Test("a file cut short is shown up to its end", arguments: [8, 41, 42, 50, 71, 72, 103, 104, 4_000, 4_247])
    func truncated(count: Int) throws {
        let session = try CofferSession()
        let path = try session.fixture.file("cut", Array(session.fixture.bytes().prefix(count)))
        let (text, json) = try session.inspect(path)
        #expect(text.code == 5)
        #expect(json.verdict["class"] as? String == "damaged")
        #expect(json.fields.contains { $0["fault"] is String })
        #expect(text.output.contains("\nfile: cut short: no vault has fewer than 4248 bytes\n"))
        #expect(json.object["version"] as? Int == (count > 8 ? 1 : nil))
        #expect((json.object["salt"] is NSNull) == (count < 40))
    }

    @Test("a file of a size that no vault has is judged in no time and memory, by its ends")
    func hostileSize() throws {
        let session = try CofferSession()
        let path = try session.fixture.file("huge", Array(session.fixture.bytes().dropLast(32)))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        // Sparse: it takes no room on the disk.
        try handle.truncate(atOffset: 1 << 42)
        try handle.close()
        let (text, json) = try session.inspect(path)
        #expect(text.code == 6)
        #expect(text.messages.contains("size is 4398046511104"))
        #expect(json.field("box")?["width"] as? Int == (1 << 42) - 136)
        #expect(json.fault("check")?.contains("above the limit of 67113040") == true)
        let limited = try CommandRunner("/bin/bash", environment: session.runner.environment).run(
            ["-c", "ulimit -v 4000000; exec \"$0\" inspect \"$1\"", session.runner.program, path])
        #expect(limited.code == 6)
        #expect(limited.output == text.output)
    }

    @Test("nothing of a file or a path steers a terminal, and nothing is shown of what is no vault")
    func hostile() throws {
        let session = try CofferSession()
        let secret = try session.fixture.file("\u{1B}[31m\u{202E}", Array("a passphrase by mistake\u{1B}".utf8))
        let outcome = try session.runner.run(["inspect", secret])
        #expect(outcome.code == 3)
        let shown = outcome.output + outcome.messages
        #expect(!shown.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x202E })
        #expect(shown.contains("\\u{1B}[31m\\u{202E}"))
        #expect(!shown.contains("passphrase by") && !shown.contains(Array("a pass".utf8).hex))
        let json = try Inspection(session.runner.run(["inspect", secret, "--json"]))
        #expect(json.object["path"] as? String == secret && json.verdict["class"] as? String == "notAVault")
        let raw = String(decoding: json.outcome.bytes, as: UTF8.self)
        #expect(!raw.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x202E })
        let slot = Slot(type: 7, data: Array("\u{1B}[31m\u{202E}\n".utf8))
        let vault = try session.fixture.file("slot", MadeFile.bytes(slots: [slot]))
        let (text, _) = try session.inspect(vault)
        #expect(text.code == 0 && text.output.contains(slot.data.hex) && !text.output.contains("\u{1B}"))
    }

    @Test("a version that no program has is said so once, and no newer program is promised")
    func versionZero() throws {
        let session = try CofferSession()
        let path = try session.fixture.file(
            "zero", MadeFile.checked(MadeFile.bytes().writing(0, at: 8, width: 2)))
        let (text, json) = try session.inspect(path)
        #expect(text.code == 4 && json.verdict["class"] as? String == "unsupportedVersion")
        #expect(text.messages.contains("no coffer does"))
        #expect(!(text.output + text.messages + json.outcome.output).contains("newer"))
    }

    @Test("two names for the file are a slip, and nothing is shown", arguments: [[], ["--json"], ["--ask"]])
    func twoFiles(options: [String]) throws {
        let session = try CofferSession()
        let path = session.fixture.path
        let slip = try session.runner.run(["inspect", "--vault", path, path] + options)
        #expect(slip.code == 2 && slip.bytes.isEmpty)
        #expect(slip.messages.contains("FILE and --vault both name a file"))
        #expect(try session.runner.run(["inspect", "--vault", path] + options.filter { $0 != "--ask" }).code == 0)
    }

    @Test("of a file that is not there, or cannot be read, there is the message alone", arguments: [[], ["--json"]])
    func unreadable(options: [String]) throws {
        let session = try CofferSession()
        for (path, code) in [("/nowhere/file", Int32(19)), ("/dev/null", 15)] {
            let outcome = try session.runner.run(["inspect", path] + options)
            #expect(outcome.code == code && outcome.bytes.isEmpty && !outcome.messages.isEmpty, "\(path)")
        }
    }

    @Test("the README shows what inspect prints for a new vault")
    func readme() throws {
        let readme = try String(contentsOf: Repository.root.appendingPathComponent("README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "$ coffer inspect backup.coffer\n")?.upperBound)
        let end = try #require(readme.range(of: "```", range: start..<readme.endIndex)?.lowerBound)
        let session = try CofferSession(passphrase: nil)
        #expect(try session.run(["init"]).code == 0)
        let outcome = try session.runner.run(["inspect", session.fixture.path])
        // Other salts and keys, of the same length; only the magic is the same everywhere.
        func masked(_ text: String) -> String {
            text.replacing(#/[0-9a-f]{16,}/#) {
                $0.output.hasPrefix("89434f") ? $0.output : Substring("…\($0.output.count)")
            }
        }
        let expected = outcome.output.replacingOccurrences(of: session.fixture.path, with: "backup.coffer")
        #expect(masked(String(readme[start..<end])) == masked(expected))
    }
}
