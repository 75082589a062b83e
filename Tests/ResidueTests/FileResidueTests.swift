import Foundation
import TestSupport
import Testing

@Suite struct FileResidueTests {
    @Test("a file that was opened and let go leaves nothing", arguments: ["passphrase", "code"])
    func opened(with means: String) throws {
        let vector = try VectorFile.Place("independent", means == "code" ? "code" : "slots_passphrase").load()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coffer-file-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("v.coffer")
        try Data(vector.vault).write(to: path)

        let given = try #require(vector.passphrase ?? vector.text(.recoveryCode).map { Array($0.utf8) })
        let search = MemoryScan([
            "given": given,
            "master": try #require(vector.bytes(.master)),
            "sealing": try #require(vector.bytes(.sealingKey)),
            // The settings, as the independent writer encoded {"n": 7, "token": "s3cr3t", "user": "alice"}.
            "settings": Array("bplist00".utf8) + [0xD3, 1, 2, 3, 4, 5, 6, 0x51, 0x6E, 0x55] + Array("token".utf8),
        ])
        let probe = try MemoryScanChild("ResidueProbe", ["file", means, path.path])
        #expect(try probe.line() == "ready")
        try probe.send(given + [10])
        #expect(try probe.line() == "key")
        guard let derived = try scan(search, probe) else { return }
        #expect(derived.holdsOneGuardedCopy(of: "master"), "\(derived)")
        for name in ["given", "sealing", "settings"] { #expect(derived[name].isEmpty, "\(name): \(derived)") }
        try probe.send([10])
        #expect(try probe.line() == "sealing key of 32")
        let sealed = try scan(search, probe)
        for name in ["master", "sealing"] {
            #expect(sealed?.holdsOneGuardedCopy(of: name) == true, "\(name): \(String(describing: sealed))")
        }
        try probe.send([10])
        #expect(try probe.line() == "open 3")
        guard let open = try scan(search, probe) else { return }
        for name in ["master", "settings"] { #expect(open.holdsOneGuardedCopy(of: name), "\(name): \(open)") }
        for name in ["given", "sealing"] { #expect(open[name].isEmpty, "\(name): \(open)") }
        try probe.send([10])
        #expect(try probe.line() == "dropped")
        let dropped = try scan(search, probe, everything: true)
        for name in ["given", "master", "sealing", "settings"] {
            #expect(dropped?[name].isEmpty == true, "\(name): \(String(describing: dropped))")
        }
    }
}
