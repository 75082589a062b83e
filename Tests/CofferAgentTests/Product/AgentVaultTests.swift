import Coffer
import CofferAgent
import CofferAgentClient
import Foundation
import SecureMemory
import TestSupport
import Testing

/// Reading and locking through the agent, as an app does.
@Suite struct AgentVaultTests {
    @Test("settings are read as by a vault that is unlocked in the app")
    func reading() throws {
        let (place, agent) = (try TemporaryVault(), try ServiceAgent())
        try place.save { draft in
            draft.set(.host, to: "bücher.example")
            draft.set(.limit, to: 7)
            draft.set(.password, to: try Secret.text("pässword"))
        }
        try agent.unlock(place)
        let vault = agent.vault(place)
        #expect(try vault[.host] == "bücher.example")
        #expect(try vault[.count] == 0)
        #expect(try vault[.count, default: 5] == 5)
        #expect(try vault[.limit] == 7)
        #expect(try vault[.limit, default: 9] == 7)
        #expect(try vault.value("limit", default: 0) == 7)
        #expect(try vault.value("none", default: "x") == "x")
        #expect(try vault.text(of: .password) == "pässword")
        let secret = try vault.secret(for: .password)
        #expect(secret.count == 9)
        #expect(try vault.names() == ["host", "limit", "password"])
        #expect(try vault.contains("host") && !vault.contains("hos"))
        #expect(try vault.isSet(.password) && vault.isSet(.limit) && !vault.isSet(.count))
    }

    @Test("what cannot be read is an error, and never the default")
    func errors() throws {
        let (place, agent) = (try TemporaryVault(), try ServiceAgent())
        try place.save { draft in draft.set(SettingKey("count", default: ""), to: "three") }
        try agent.unlock(place)
        let vault = agent.vault(place)
        let mismatch = VaultError.typeMismatch(name: "count", expected: "integer", found: "string")
        #expect(throws: mismatch) { try vault[.count] }
        #expect(throws: mismatch) { try vault.value("count", default: 3) }
        #expect(throws: VaultError.notFound(name: "password")) { try vault.text(of: .password) }
        #expect(throws: VaultError.notFound(name: "password")) { _ = try vault.secret(for: .password) }
        #expect(throws: VaultError.notFound(name: "password")) { try vault.modified(.password) }
        let long = String(repeating: "n", count: 5_000)
        let tooLong = VaultError.limitExceeded(field: "name", value: 5_000, bound: 1_024)
        #expect(throws: tooLong) { try vault.contains(long) }
        #expect(throws: tooLong) { try vault.modified(long) }
        #expect(throws: tooLong) { try vault.update { draft in draft.undo(long) } }
    }

    @Test("the warnings are those that the agent has, and there are none while the vault is locked")
    func warnings() throws {
        let (place, agent, none) = (try TemporaryVault(), try ServiceAgent(), try TestPlace())
        #expect(try AgentVault(at: .file(place.path), agent: none.location).warnings == [])
        unsafe chmod(place.path, 0o644)
        let vault = agent.vault(place)
        #expect(try vault.warnings == [])
        try agent.unlock(place)
        #expect(try vault.warnings.contains(.weakKeyDerivation(passes: 1, memoryKiB: 8_192)))
        // And what a save finds.
        try vault.update { draft in draft.set(.count, to: 1) }
        #expect(try vault.warnings.contains(.readableByOthers(permissions: 0o644)))
        // Those of another vault are none of this one's.
        #expect(try agent.vault(try TemporaryVault()).warnings == [])
        try vault.lock()
        #expect(try vault.warnings == [])
    }

    @Test("without an agent, and with one that does not hold it, the vault is locked")
    func locked() throws {
        let (place, none) = (try TemporaryVault(), try TestPlace())
        let alone = AgentVault(at: .file(place.path), agent: none.location)
        #expect(try alone.lockState == .locked)
        try alone.lock()
        #expect(throws: VaultError.locked) { try alone[.host] }
        #expect(throws: VaultError.locked) { try alone.update { draft in draft.set(.count, to: 1) } }
        let agent = try ServiceAgent()
        let vault = agent.vault(place)
        #expect(try vault.lockState == .locked)
        try vault.lock()
        #expect(throws: VaultError.locked) { try vault[.host] }
        #expect(throws: VaultError.locked) { try vault.names() }
        #expect(throws: VaultError.locked) { try vault.undo("x") }
        try agent.unlock(place)
        #expect(try vault.lockState == .unlocked)
        #expect(try vault.isUnlocked)
        #expect(try vault[.host] == "localhost")
        try vault.lock()
        #expect(try !vault.isUnlocked)
        #expect(throws: VaultError.locked) { try vault[.host] }
    }

    @Test("all spellings of the path are one vault")
    func spellings() throws {
        let (place, agent) = (try TemporaryVault(), try ServiceAgent())
        try place.save { draft in draft.set(.count, to: 3) }
        try agent.unlock(place)
        let link = place.directory.appendingPathComponent("link.coffer").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path)
        let up = String(repeating: "../", count: 40) + place.path.dropFirst()
        for path in [link, place.directory.path + "/./../" + place.directory.lastPathComponent + "/test.coffer", up] {
            let vault = agent.vault(place, path: path)
            #expect(try vault[.count] == 3)
            #expect(try vault.lockState == .unlocked)
        }
        try agent.vault(place, path: link).lock()
        #expect(try agent.vault(place).lockState == .locked)
    }

    @Test("the time of the last change is told, in a vault of several pages too")
    func modified() throws {
        let (place, agent) = (try TemporaryVault(), try ServiceAgent())
        let start = SettingDate.now.secondsSince2001
        let filler = String(repeating: "f", count: 1_000)
        try place.save { draft in
            for number in 0..<600 { draft.set(SettingKey("\(filler)\(number)", default: 0), to: number) }
            draft.set(.host, to: "a")
            draft.set(SettingKey("z\u{308}\u{F6}", default: 0), to: 1)
        }
        try agent.unlock(place)
        let vault = agent.vault(place)
        for name in ["host", "\(filler)599", "\(filler)0", "z\u{308}o\u{308}"] {
            let age = try #require(try vault.modified(name)).secondsSince2001 - start
            #expect((-1...60).contains(age), "\(name.suffix(8))")
        }
        #expect(throws: VaultError.notFound(name: "hos")) { try vault.modified("hos") }
        #expect(throws: VaultError.notFound(name: "")) { try vault.modified("") }
        #expect(try vault.names().count == 602)
    }

    @Test("an agent that was started anew is found, and asked again")
    func restart() throws {
        let (place, run) = (try TemporaryVault(), try TestPlace())
        try place.save { draft in draft.set(.count, to: 3) }
        let first = try ServiceAgent(run)
        try first.unlock(place)
        let vault = first.vault(place)
        #expect(try vault[.count] == 3)
        try first.stop()
        #expect(throws: VaultError.locked) { try vault[.count] }
        let second = try ServiceAgent(run)
        #expect(throws: VaultError.locked) { try vault[.count] }
        try second.unlock(place)
        #expect(try vault[.count] == 3)
        try second.stop()
        let third = try ServiceAgent(run)
        try third.unlock(place)
        // The connection that was kept was the second one's.
        #expect(try vault[.count] == 3)
    }

    @Test("what answers with nonsense ends no program")
    func nonsense() throws {
        let (place, agent) = (try TemporaryVault(), try TestAgent())
        let vault = AgentVault(at: .file(place.path), agent: agent.location)
        let nonsense = VaultError.ioError(step: "understand the agent", errno: EPROTO, path: "agent")
        for count in [0, 1, 41, 42, 4_096] {
            #expect(throws: nonsense) { try vault.value("bytes \(count)", default: 0) }
        }
        // A page with nothing on it, and more behind it.
        #expect(throws: nonsense) { try vault.modified("ab") }
        try agent.stop()
    }

    @Test("nothing is sent to an agent whose directory others may enter")
    func foreign() throws {
        let (place, agent) = (try TemporaryVault(), try ServiceAgent())
        try agent.unlock(place)
        let vault = agent.vault(place)
        unsafe chmod(agent.location.directory, 0o750)
        #expect(throws: VaultError.self) { try vault[.host] }
        do { _ = try vault[.host] } catch {
            guard case .refused(let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.contains("nothing was sent"))
        }
        unsafe chmod(agent.location.directory, 0o700)
        #expect(try vault[.host] == "localhost")
    }
}
