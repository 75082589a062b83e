import Foundation
import TestSupport
import Testing

@Suite struct CommandResidueTests {
    let vault: KnownVault

    init() throws { vault = try KnownVault() }

    func coffer(_ arguments: [String]) throws -> MemoryScanChild {
        let (program, words) = MemoryScan.visible(
            MemoryScanChild.product("coffer").path, arguments + ["--vault", vault.path, "--passphrase-fd", "0"])
        return try MemoryScanChild(
            program, words,
            environment: ["XDG_STATE_HOME": vault.folder.path, "HOME": vault.folder.path])
    }

    @Test("a passphrase that is being read stands once, in guarded memory")
    func reading() throws {
        let child = try coffer(["get", "first"])
        let half = canary()
        try child.send(half)
        try MemoryScan.looking {
            try child.waitUntilBlocked(in: .read, on: 0)
            let report = try MemoryScan(["half": half, "absent": canary()]).run(child.identifier)
            #expect(report.holdsOneGuardedCopy(of: "half"), "\(report)")
            #expect(report["absent"].isEmpty)
        }
    }

    @Test("get writes straight from the one copy, and holds no passphrase by then")
    func writing() throws {
        let value = canary(200_000)
        let setting = try coffer(["set", "large"])
        try setting.send(vault.passphrase + [10] + value)
        setting.closeInput()
        try #require(setting.status() == 0, "\(setting.standardError())")

        // Its output is a pipe that nobody empties, so it stands still in the middle of writing.
        let child = try coffer(["get", "large"])
        try child.send(vault.passphrase + [10])
        var secrets = try vault.secrets()
        secrets["first of large"] = Array(value.prefix(64))
        secrets["last of large"] = Array(value.suffix(64))
        try MemoryScan.looking {
            try child.waitUntilBlocked(in: .write, on: 1)
            let report = try MemoryScan(secrets).run(child.identifier)
            for name in ["first of large", "last of large", "first", "second", "accented as UTF-16"] {
                #expect(report.holdsOneGuardedCopy(of: name), "\(name): \(report)")
            }
            for name in ["passphrase", "sealing", "accented as UTF-8", "absent"] {
                #expect(report[name].isEmpty, "\(name): \(report)")
            }
            #expect(report["master"].allSatisfy { $0.mapping == .guarded }, "\(report)")
        }
    }
}
