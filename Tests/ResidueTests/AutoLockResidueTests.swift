import Foundation
import TestSupport
import Testing

@Suite struct AutoLockResidueTests {
    private func unlocked(_ vault: KnownVault, rule: String) throws -> MemoryScanChild {
        let probe = try MemoryScanChild("ResidueProbe", ["vault", vault.path, rule])
        _ = try probe.line()
        try probe.step("unlock", secret: vault.passphrase)
        return probe
    }

    @Test("a vault that locked itself at a deadline, without an access, leaves nothing", arguments: ["idle", "age"])
    func deadlines(rule: String) throws {
        let vault = try KnownVault()
        let secrets = try vault.secrets()
        let probe = try unlocked(vault, rule: rule)
        try probe.step("await-lock")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: [], of: secrets, rule)
        }
    }

    @Test("a vault that a trigger locked leaves nothing", arguments: ["custom", "signal"])
    func triggers(rule: String) throws {
        let vault = try KnownVault()
        let secrets = try vault.secrets()
        let probe = try unlocked(vault, rule: rule)
        try scan(MemoryScan(secrets), probe).map {
            VaultResidueTests().expect($0, holds: VaultResidueTests.open, of: secrets, "unlocked")
        }
        if rule == "custom" { try probe.step("fire") } else { kill(probe.identifier, SIGWINCH) }
        try probe.step("await-lock")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: [], of: secrets, rule)
        }
    }

    @Test("a dropped copy leaves the key alone, and a read brings back one copy of each value")
    func dropped() throws {
        let vault = try KnownVault()
        let secrets = try vault.secrets()
        let probe = try unlocked(vault, rule: "all")
        try probe.step("drop")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: ["master"], of: secrets, "dropped")
        }
        try probe.step("read first")
        try scan(MemoryScan(secrets), probe).map {
            VaultResidueTests().expect($0, holds: VaultResidueTests.open, of: secrets, "read again")
        }
        try probe.step("lock")
        try scan(MemoryScan(secrets), probe, everything: true).map {
            VaultResidueTests().expect($0, holds: [], of: secrets, "locked")
        }
    }
}
