import Foundation
import TestSupport
import Testing

/// What the library holds after it failed.
@Suite struct FailureResidueTests {
    private let vault: KnownVault

    init() throws { vault = try KnownVault() }

    @Test("a save that cannot be written leaves nothing of what it was to save")
    func unwritable() throws {
        var secrets = try vault.secrets()
        let lost = canary()
        secrets["lost"] = lost
        // The file has more bytes than that.
        let probe = try MemoryScanChild(
            "/bin/bash",
            [
                "-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" vault \"$1\"",
                MemoryScanChild.product("ResidueProbe").path, vault.path,
            ])
        _ = try probe.line()
        try probe.step("unlock", secret: vault.passphrase)
        for _ in 0..<2 {
            let answer = try probe.answer(to: "set lost", secret: lost)
            #expect(answer.contains("could not write") && answer.contains("\(EFBIG)"), "\(answer)")
        }
        try scan(MemoryScan(secrets), probe).map {
            VaultResidueTests().expect($0, holds: VaultResidueTests.open, of: secrets, "refused")
        }
        try probe.step("lock")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: [], of: secrets, "locked")
        }
    }

    @Test("a file that was edited leaves nothing of its keys, nor of the passphrase that is right for it")
    func tampered() throws {
        let secrets = try vault.secrets()
        try vault.edit(byte: 500)
        let probe = try vault.probe()
        let answer = try probe.answer(to: "unlock", secret: vault.passphrase)
        #expect(answer.contains("edited after its last save"), "\(answer)")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: [], of: secrets, "refused")
        }
    }

    @Test("an update that finds another file in the place of its own adds no copy of anything")
    func conflict() throws {
        var secrets = try vault.secrets()
        let (lost, added) = (canary(), canary())
        secrets["lost"] = lost
        let probe = try vault.probe()
        try probe.step("unlock", secret: vault.passphrase)
        let other = try vault.probe()
        try other.step("unlock", secret: vault.passphrase)
        vault.passphrase = canary(32)
        try other.step("passphrase", secret: vault.passphrase)
        try other.step("set added", secret: added)
        secrets["added"] = added
        secrets.merge(try vault.secrets()) { old, _ in old }
        let answer = try probe.answer(to: "set lost", secret: lost)
        #expect(answer.contains("changed"), "\(answer)")
        _ = try MemoryScan.looking {
            let report = try MemoryScan(secrets).run(probe.identifier)
            for name in ["lost", "added", "passphrase", "sealing"] {
                #expect(report[name].isEmpty, "\(name): \(report)")
            }
            for name in secrets.keys {
                #expect(report[name].allSatisfy { $0.mapping == .guarded && $0.form == .raw }, "\(name): \(report)")
            }
        }
        try probe.step("lock")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: [], of: secrets, "locked")
        }
    }
}

extension KnownVault {
    /// Changes a bit of the file, and its check with it, so that the key alone tells.
    func edit(byte: Int) throws {
        let audit = Process()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Audit/test_helper.py").path
        let copy = folder.appendingPathComponent("edited").path
        audit.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        audit.arguments = [script, "flip", path, "\(byte * 8)", copy, "recheck"]
        try audit.run()
        audit.waitUntilExit()
        guard audit.terminationStatus == 0 else { throw Refused(message: "the audit did not write") }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: copy, toPath: path)
    }
}
