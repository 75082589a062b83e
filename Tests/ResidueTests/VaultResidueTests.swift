import TestSupport
import Testing

@Suite struct VaultResidueTests {
    /// What stands once in guarded memory while the vault is open; nothing else may stand anywhere.
    static let open: Set = ["first", "second", "accented as UTF-16", "master"]

    /// Wants each name of `once` exactly once, in guarded memory, and no other secret at all.
    func expect(
        _ report: MemoryScan.Report, holds once: Set<String>, of secrets: [String: [UInt8]], _ when: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for name in secrets.keys.sorted() {
            let isRight = once.contains(name) ? report.holdsOneGuardedCopy(of: name) : report[name].isEmpty
            #expect(isRight, "\(name), \(when): \(report)", sourceLocation: sourceLocation)
        }
    }

    @Test("open: one copy of each value and of the key; locked: nothing", arguments: ["unlock", "unlock-async"])
    func lifetime(unlock: String) throws {
        let vault = try KnownVault()
        var secrets = try vault.secrets()
        let probe = try vault.probe()
        try probe.step(unlock, secret: vault.passphrase)
        guard let unlocked = try scan(MemoryScan(secrets), probe) else { return }
        expect(unlocked, holds: Self.open, of: secrets, "unlocked")

        for name in ["first", "second", "accented"] { try probe.step("read \(name)") }
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: Self.open, of: secrets, "read") }

        let added = canary()
        secrets["added"] = added
        try probe.step("set added", secret: added)
        secrets["new sealing"] = try vault.keys().sealing
        try scan(MemoryScan(secrets), probe).map {
            expect($0, holds: Self.open.union(["added"]), of: secrets, "updated")
        }

        try probe.step("lock")
        try scan(MemoryScan(secrets), probe, everything: true).map { expect($0, holds: [], of: secrets, "locked") }
    }

    @Test("a replaced value stands once as long as the vault is open, after an undo too, and nowhere after")
    func lastValues() throws {
        let vault = try KnownVault()
        var secrets = try vault.secrets()
        let probe = try vault.probe()
        try probe.step("unlock", secret: vault.passphrase)
        let new = canary()
        secrets["new"] = new
        try probe.step("set first", secret: new)
        let held = Self.open.union(["new"])
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: held, of: secrets, "replaced") }
        for _ in 0..<2 { try probe.step("undo first") }
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: held, of: secrets, "undone") }
        try probe.step("lock")
        try scan(MemoryScan(secrets), probe, everything: true).map { expect($0, holds: [], of: secrets, "locked") }
    }

    @Test("a wrong passphrase leaves nothing, neither of it nor of the vault")
    func wrongPassphrase() throws {
        let vault = try KnownVault()
        var secrets = try vault.secrets()
        let wrong = canary(32)
        secrets["wrong passphrase"] = wrong
        let probe = try vault.probe()
        #expect(try probe.answer(to: "unlock", secret: wrong).contains("passphrase is wrong"))
        try scan(MemoryScan(secrets), probe, everything: true).map { expect($0, holds: [], of: secrets, "refused") }
    }

    @Test("a vault that was just created, and one that changed its passphrase, hold the new key alone")
    func newKeys() throws {
        let vault = try KnownVault(isEmpty: true)
        let probe = try vault.probe()
        try probe.step("create", secret: vault.passphrase)
        var secrets = try vault.secrets()
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: ["master"], of: secrets, "created") }

        try probe.step("set first", secret: vault.ascii["first"])
        secrets["old passphrase"] = secrets["passphrase"]
        secrets["old master"] = secrets["master"]
        vault.passphrase = canary(32)
        try probe.step("passphrase", secret: vault.passphrase)
        secrets.merge(try vault.secrets()) { $1 }
        try scan(MemoryScan(secrets), probe).map {
            expect($0, holds: ["master", "first"], of: secrets, "new passphrase")
        }

        try probe.step("lock")
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: [], of: secrets, "locked") }
    }

    @Test("an update that throws leaves nothing of what it had set")
    func interrupted() throws {
        let vault = try KnownVault()
        var secrets = try vault.secrets()
        let lost = canary()
        secrets["lost"] = lost
        let probe = try vault.probe()
        try probe.step("unlock", secret: vault.passphrase)
        #expect(try probe.answer(to: "interrupt lost", secret: lost) == "Interrupted()")
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: Self.open, of: secrets, "interrupted") }
        try probe.step("lock")
        try scan(MemoryScan(secrets), probe).map { expect($0, holds: [], of: secrets, "locked") }
    }
}
