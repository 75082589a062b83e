import Coffer
import Foundation
import TestSupport
import Testing

@Suite struct UpdateTests {
    struct Stop: Error {}

    @Test("a closure that throws saves nothing, and one that changes nothing neither")
    func nothingSaved() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let before = try place.bytes()
        #expect(throws: Stop.self) {
            try vault.update { draft in
                draft.set(.username, to: "ann")
                throw Stop()
            }
        }
        let seen = try vault.update { draft in try draft.get(.username) }
        #expect(seen == "anonymous")
        #expect(try vault[.username] == "anonymous")
        #expect(try place.bytes() == before)
    }

    @Test("a change that is not allowed fails the whole update")
    func refused() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let before = try place.bytes()
        let cases: [(String, VaultError)] = [
            ("", .refused(reason: "a setting needs a name")),
            ("a\nb", .refused(reason: "a setting's name has no control characters")),
            ("a\u{85}b", .refused(reason: "a setting's name has no control characters")),
            (String(repeating: "n", count: 1_025), .limitExceeded(field: "name", value: 1_025, bound: 1_024)),
        ]
        for (name, error) in cases {
            #expect(throws: error) {
                try vault.update { draft in
                    draft.set(.username, to: "ann")
                    draft.set(SettingKey(name, default: 0), to: 1)
                }
            }
        }
        #expect(try place.bytes() == before)
        #expect(try vault[.username] == "anonymous")
    }

    @Test("names, values and secrets at their limits are stored")
    func limits() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let name = String(repeating: "\u{E9}", count: 512)
        var large = [UInt8](repeating: 0, count: 16 << 20)
        for index in large.indices { large[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }
        let secret = try Secret(copying: large)
        let empty = try Secret(copying: [UInt8]())
        try vault.update { draft in
            draft.set(SettingKey(name, default: 0), to: 1)
            draft.set(SecretKey("large"), to: secret)
            draft.set(SecretKey("empty"), to: empty)
            draft.set(SettingKey("nul", default: ""), to: "a\0b")
        }
        let other = try place.unlocked()
        #expect(try other[SettingKey(name, default: 0)] == 1)
        #expect(try other.withBytes(of: SecretKey("large")) { $0.array } == large)
        #expect(try other.withBytes(of: SecretKey("empty")) { $0.byteCount } == 0)
        #expect(try other[SettingKey("nul", default: "")] == "a\0b")
        // Four of them pass the limit of a vault, and the vault stays as it was.
        let before = try place.bytes()
        #expect(throws: VaultError.limitExceeded(field: "box_len", value: 67_108_881, bound: 67_108_880)) {
            try vault.update { draft in
                for index in 0..<4 { draft.set(SecretKey("large \(index)"), to: secret) }
            }
        }
        #expect(try place.bytes() == before)
    }

    @Test("a hundred thousand settings are stored and found")
    func many() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try vault.update { draft in
            for index in 0..<100_000 { draft.set(SettingKey("setting/\(index)", default: 0), to: index) }
        }
        let other = try place.unlocked()
        let names = try other.names()
        #expect(names.count == 100_000)
        #expect(names == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for index in stride(from: 0, to: 100_000, by: 7_919) {
            #expect(try other[SettingKey("setting/\(index)", default: -1)] == index)
        }
    }

    @Test("a name is found in whatever Unicode form it is spelled, and written composed")
    func names() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try vault.update { draft in
            draft.set(SettingKey("cafe\u{301}", default: 0), to: 1)
            draft.set(SettingKey("caf\u{E9}", default: 0), to: 2)
        }
        #expect(try vault.names().map { Array($0.utf8) } == [Array("caf\u{E9}".utf8)])
        #expect(try vault[SettingKey("cafe\u{301}", default: 0)] == 2)
        #expect(try vault.contains("cafe\u{301}"))
        try vault.update { draft in draft.remove("cafe\u{301}") }
        #expect(try vault.names() == [])
    }

    @Test("remove and rename act on what the draft has, and say what they found")
    func removeAndRename() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try vault.set(.password, "\u{FC}ber secret")
        try vault.update { (draft: inout Draft) throws in
            #expect(draft.remove("absent") == false)
            draft.rename("password", to: "login/password")
            draft.set(.username, to: "ann")
            draft.rename("username", to: "login/name")
            #expect(try draft.contains("username") == false)
            #expect(try draft.get(SettingKey("login/name", default: "")) == "ann")
            #expect(try draft.withBytes(of: SecretKey("login/password")) { $0.byteCount } == 12)
        }
        #expect(try vault.names() == ["login/name", "login/password"])
        #expect(try vault.text(of: SecretKey("login/password")) == "\u{FC}ber secret")
        #expect(throws: VaultError.notFound(name: "absent")) {
            try vault.update { draft in draft.rename("absent", to: "other") }
        }
        #expect(throws: VaultError.refused(reason: "there is already a setting with the new name")) {
            try vault.update { draft in draft.rename("login/name", to: "login/password") }
        }
        try vault.update { draft in draft.rename("login/name", to: "login/password", replacing: true) }
        #expect(try vault.names() == ["login/password"])
    }

    @Test("an update inside an update of the same vault is refused, not waited for")
    func nesting() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.update { (draft: inout Draft) throws in
            draft.set(.username, to: "ann")
            #expect(
                throws: VaultError.refused(
                    reason: "a change cannot begin inside the closure of an update of the same vault")
            ) {
                try vault.update { inner in inner.set(.username, to: "bob") }
            }
            #expect(throws: VaultError.self) { try vault.changePassphrase(to: Secret.text("new passphrase")) }
            // Reading the saved state is no change.
            #expect(try vault[.username] == "anonymous")
        }
        #expect(try vault[.username] == "ann")
        try vault.update { draft in draft.set(.username, to: "bob") }
        #expect(try vault[.username] == "bob")
    }

    @Test("threads that add to one number lose nothing")
    func threads() async throws {
        let place = try TemporaryVault()
        let shared = try place.unlocked()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
                let vault = index < 2 ? shared : try place.unlocked()
                group.addTask {
                    for _ in 0..<25 {
                        try vault.update { draft in draft.set(.retries, to: try draft.get(.retries) + 1) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try place.unlocked()[.retries] == 103)
    }

    @Test("another handle's save is seen by the next update, whatever was cached")
    func twoHandles() throws {
        let place = try TemporaryVault()
        let first = try place.unlocked()
        let second = try place.unlocked()
        try first.set(.password, "one")
        try second.update { draft in draft.set(.username, to: "ann") }
        #expect(try second.text(of: .password) == "one")
        #expect(try place.unlocked().names() == ["password", "username"])
        // An update that changes nothing, or throws, has read the newest all the same.
        try first.set(.password, "two")
        try second.update { _ in }
        #expect(try second.text(of: .password) == "two")
        try first.set(.password, "three")
        #expect(throws: Stop.self) { try second.update { _ in throw Stop() } }
        #expect(try second.text(of: .password) == "three")
    }

    @Test("a file that does not follow what was seen is not overwritten")
    func freshness() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let old = try place.bytes()
        try vault.set(.password, "one")
        let seen = try place.bytes()

        try place.write(old)
        #expect(throws: VaultError.rolledBack(generation: 1, newest: 2)) { try vault.set(.password, "two") }
        #expect(try place.bytes() == old)
        let fork = try place.unlocked()
        try fork.set(.password, "fork")
        let forked = try place.bytes()
        #expect(throws: VaultError.forked(generation: 2)) { try vault.set(.password, "two") }
        #expect(try place.bytes() == forked)

        // The same passphrase and salt, but another vault.
        try place.write(seen)
        try vault.set(.password, "two")
        let other = try TemporaryVault()
        try place.write(other.bytes())
        #expect(throws: VaultError.conflict) { try vault.set(.password, "three") }
        #expect(try place.bytes() == other.bytes())
    }

    @Test("a change of mode during an update is no other file")
    func modeChange() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try vault.update { draft in
            draft.set(.username, to: "ann")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.path)
        }
        #expect(try place.unlocked()[.username] == "ann")
        #expect(vault.warnings.contains(.readableByOthers(permissions: 0o640)))
    }

    @Test("a file that another program replaces during an update stays")
    func replacedMeanwhile() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let other = try TemporaryVault().bytes()
        #expect(throws: VaultError.ioError(step: "check the file to be replaced", errno: ESTALE, path: place.path)) {
            try vault.update { draft in
                draft.set(.username, to: "ann")
                try place.write(other)
            }
        }
        #expect(try place.bytes() == other)
    }

    @Test("a save that may not last says so, and is in force")
    func notSynced() throws {
        let place = try TemporaryVault()
        let vault = Vault(
            at: .file(place.path),
            surroundings: .init(system: FaultingSystemCalls(.fails(EIO), at: 2, of: [.synchronize])))
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        #expect(throws: VaultError.savedButNotSynced(errno: EIO, path: place.path)) {
            try vault.update { draft in draft.set(.retries, to: try draft.get(.retries) + 1) }
        }
        #expect(try vault[.retries] == 4)
        #expect(try place.unlocked()[.retries] == 4)
    }

    @Test("a damaged, empty or missing file stops an update, and stays as it is")
    func damage() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        var bytes = try place.bytes()
        bytes[100] ^= 1
        // The cached check still stands at the end of this one, but its size gives the next ones away.
        for damaged in [Array(bytes.dropLast(1)), [], Array(bytes.prefix(41))] {
            try place.write(damaged)
            #expect(throws: VaultError.self) { try vault.set(.password, "x") }
            #expect(try place.bytes() == damaged)
        }
        try FileManager.default.removeItem(atPath: place.path)
        #expect(throws: VaultError.noVault(path: place.path)) { try vault.set(.password, "x") }
        #expect(try place.files() == [".test.coffer.lock"])
    }
}
