import Coffer
import Foundation
import TestSupport
import Testing

/// What people write by hand for their settings: four small systems, each done here by the library.
@Suite struct FourSystemsTests {
    @Test("a settings controller: user name and password, saved in one step, read from a copy that a save refreshes")
    func settingsController() throws {
        let place = try TemporaryVault()
        let system = FaultingSystemCalls(before: { _ in })
        var surroundings = VaultSurroundings(system: system)
        // Time stands still, so that no read looks at the file.
        surroundings.clock = ManualClock()
        let vault = Vault(at: .file(place.path), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        let before = try FileManager.default.attributesOfItem(atPath: place.path)[.systemFileNumber] as? Int

        let password = try Secret.text("correct-horse-of-ann")
        try vault.update { draft in
            draft.set(.username, to: "ann-of-the-mail")
            draft.set(.password, to: password)
        }
        // Another file stands in its place, sealed, and nothing beside it but the lock.
        let after = try FileManager.default.attributesOfItem(atPath: place.path)[.systemFileNumber] as? Int
        #expect(before != after)
        #expect(try place.files() == [".test.coffer.lock", "test.coffer"])
        let bytes = try place.bytes()
        for text in ["ann-of-the-mail", "correct-horse-of-ann", "username", "password"] {
            #expect(Data(bytes).range(of: Data(text.utf8)) == nil, "\(text)")
        }

        // The save has refreshed the copy, and reads go to it alone.
        _ = try vault[.username]
        let calls = system.log.count
        for _ in 0..<100 {
            #expect(try vault[.username] == "ann-of-the-mail")
            #expect(try vault.text(of: .password) == "correct-horse-of-ann")
        }
        #expect(system.log.count == calls)

        // The copy is no second truth: a new handle reads the same from the file.
        #expect(try place.unlocked().text(of: .password) == "correct-horse-of-ann")
    }

    @Test("defaults: unset is told from zero, false, empty and nil, and each type has a getter with a default")
    func withDefault() throws {
        let vault = try TemporaryVault().unlocked()
        let (retries, enabled) = (SettingKey("retries", default: 3), SettingKey("enabled", default: true))
        let (ratio, name) = (SettingKey("ratio", default: 0.5), SettingKey("name", default: "anonymous"))
        let servers = SettingKey("servers", default: ["a.example"])
        let nickname = SettingKey<String?>("nickname")
        #expect(try vault[retries] == 3)
        #expect(try vault[enabled])
        #expect(try vault[ratio] == 0.5)
        #expect(try vault[name] == "anonymous")
        #expect(try vault[servers] == ["a.example"])
        #expect(try vault[nickname] == nil)
        #expect(try vault.isSet(retries) == false)

        try vault.update { draft in
            draft.set(retries, to: 0)
            draft.set(enabled, to: false)
            draft.set(ratio, to: 0)
            draft.set(name, to: "")
            draft.set(servers, to: [])
        }
        #expect(try vault[retries] == 0)
        #expect(try vault[enabled] == false)
        #expect(try vault[ratio] == 0)
        #expect(try vault[name] == "")
        #expect(try vault[servers] == [])
        for isSet in [
            try vault.isSet(retries), try vault.isSet(enabled), try vault.isSet(ratio), try vault.isSet(name),
        ] {
            #expect(isSet)
        }
        #expect(try vault.isSet(nickname) == false)

        // Getters with the caller's default: integer, boolean, real, string and an object.
        #expect(try vault.value("absent", default: 7) == 7)
        #expect(try vault.value("absent", default: true))
        #expect(try vault.value("absent", default: 1.5) == 1.5)
        #expect(try vault.value("absent", default: "x") == "x")
        #expect(try vault.value("absent", default: ["a": [1, 2]]) == ["a": [1, 2]])
        #expect(try vault.value("retries", default: 7) == 0)
        #expect(try vault[nickname, default: "ann"] == "ann")

        // A value of another type is never taken for the default.
        #expect(throws: VaultError.typeMismatch(name: "name", expected: "integer", found: "string")) {
            try vault.value("name", default: 7)
        }
        try vault.update { draft in draft.remove("retries") }
        #expect(try vault[retries] == 3)
    }

    private enum App {
        static let place = try? TemporaryVault(create: false)
        /// The one instance of the program; making it opens nothing.
        static let vault = Vault(at: .file(place?.path ?? "/nowhere"))
    }

    @Test("a preferences manager: one shared instance, a first run with its values, named accessors, an explicit save")
    func preferencesManager() throws {
        let place = try #require(App.place)
        #expect(try place.files() == [])
        var runs: [VaultOpening] = []
        for _ in 0..<2 {
            let passphrase = try Secret.text("x")
            let opening = try App.vault.unlockOrCreate(passphrase, derivation: TemporaryVault.cheap) { draft in
                draft.set(.username, to: "ann")
                draft.set(.retries, to: 5)
            }
            runs.append(opening)
            #expect(try App.vault[.username] == (runs.count == 1 ? "ann" : "bob"))
            try App.vault.update { draft in draft.set(.username, to: "bob") }
            App.vault.lock()
        }
        #expect(runs == [.firstRun, .existing])

        // What an update has not saved is nowhere; what it has is seen through every handle.
        struct Cancelled: Error {}
        let other = place.handle()
        let passphrase = try Secret.text("x")
        try other.unlock(passphrase)
        #expect(throws: Cancelled.self) {
            try other.update { draft in
                draft.set(.retries, to: 6)
                throw Cancelled()
            }
        }
        #expect(try other[.retries] == 5)
        try App.vault.unlock(passphrase)
        #expect(try App.vault[.retries] == 5)
        // Making it anew is refused.
        #expect(throws: VaultError.alreadyExists(path: place.path)) {
            try App.vault.create(passphrase: passphrase, derivation: TemporaryVault.cheap)
        }
    }

    @Test(
        "a memory cache: 60 s unless told, a new value restarts it, all goes at a warning, and it holds the vault's copy"
    )
    func memoryCache() throws {
        let clock = ManualClock()
        let background = LockSignal()
        let cache = MemoryCache(triggers: [.custom(background)], clock: clock)
        let first = try Secret.text("first")
        let second = try Secret.text("second")
        try cache.set("token", to: first)
        clock.advance(by: .seconds(59))
        try cache.set("token", to: second)
        try cache.set("brief", to: first, lifetime: .seconds(5))
        clock.sleep(for: .seconds(59))
        #expect(cache.text("token") == "second")
        #expect(cache.text("brief") == nil)
        clock.advance(by: .seconds(1))
        #expect(cache.text("token") == nil)
        #expect(cache.count == 0)
        try cache.set("token", to: first)
        background.fire()
        #expect(cache.text("token") == nil)

        // The vault's own copy lives and dies by the same means.
        let vault = try AutoLockTests.vault(
            AutoLock(idle: .seconds(60), triggers: [.custom(background)]), clock: clock)
        clock.advance(by: .seconds(59))
        #expect(try vault[.retries] == 3)
        clock.sleep(for: .seconds(60))
        #expect(vault.lockState == .locked)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        vault.dropCopy()
        #expect(vault.memoryProtection == nil)
        #expect(vault.lockState == .unlockedWithoutCopy)
        #expect(try vault[.retries] == 3)
        background.fire()
        #expect(vault.lockState == .locked)
    }
}
