import Foundation
import TestSupport

/// Random letters: a value that no library holds by chance.
func canary(_ count: Int = 64) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return (0..<count).map { _ in letters[Int.random(in: 0..<letters.count)] }
}

/// Scans a process that stands still.
func scan(_ scan: MemoryScan, _ child: MemoryScanChild, everything: Bool = false) throws -> MemoryScan.Report? {
    try MemoryScan.looking { try scan.run(child.identifier, everything: everything) }
}

/// A vault on disk with known contents, made by a process that has ended.
final class KnownVault {
    struct Refused: Error {
        let message: String
    }

    let folder: URL
    var passphrase = canary(32)
    let ascii = ["first": canary(), "second": canary()]
    /// Text that the file holds as UTF-16, so that reading it as UTF-8 takes a second, short-lived copy.
    let accented = String(decoding: (0..<40).map { _ in UInt16.random(in: 0xC0...0x17F) }, as: UTF16.self)

    var path: String { folder.appendingPathComponent("known.coffer").path }

    /// - Parameter isEmpty: whether to leave the making to the test.
    init(isEmpty: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("coffer-residue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if isEmpty { return }
        let probe = try probe()
        try probe.step("create", secret: passphrase)
        for (name, value) in ascii { try probe.step("set \(name)", secret: value) }
        try probe.step("set accented", secret: Array(accented.utf8))
        probe.closeInput()
        _ = probe.status()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts a process that has not opened the vault yet.
    func probe() throws -> MemoryScanChild {
        let probe = try MemoryScanChild("ResidueProbe", ["vault", path])
        _ = try probe.line()
        return probe
    }

    /// The keys of the file as it is, derived by the second implementation.
    func keys() throws -> (master: [UInt8], sealing: [UInt8]) {
        let file = folder.appendingPathComponent("passphrase")
        try Data(passphrase).write(to: file)
        let audit = Process()
        let output = Pipe()
        audit.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Audit/test_helper.py").path
        audit.arguments = [script, "keys", path, file.path]
        audit.standardOutput = output
        try audit.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        audit.waitUntilExit()
        let keys = try JSONDecoder().decode([String: String].self, from: text)
        guard let master = keys["master"], let sealing = keys["seal_key"] else {
            throw Refused(message: "the audit said nothing")
        }
        return (Self.bytes(master), Self.bytes(sealing))
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8.map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) })
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// All that must never stand in ordinary memory, by name.
    func secrets() throws -> [String: [UInt8]] {
        let keys = try keys()
        var all = ascii
        all["passphrase"] = passphrase
        all["master"] = keys.master
        all["sealing"] = keys.sealing
        all["accented as UTF-8"] = Array(accented.utf8)
        all["accented as UTF-16"] = accented.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        all["absent"] = canary()
        return all
    }
}

extension MemoryScanChild {
    /// Has the probe do a step, and wants it to work.
    func step(_ line: String, secret: [UInt8]? = nil) throws {
        let answer = try answer(to: line, secret: secret)
        guard answer == "ok" else { throw KnownVault.Refused(message: "\(line): \(answer)") }
    }

    /// Has the probe do a step, and says what it answered.
    func answer(to line: String, secret: [UInt8]? = nil) throws -> String {
        try send(Array(line.utf8) + [10] + (secret.map { $0 + [10] } ?? []))
        return try self.line()
    }
}
