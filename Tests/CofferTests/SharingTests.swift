import Coffer
import Foundation
import PropertyLists
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

/// What a process that holds a vault for others builds on.
@Suite struct SharingTests {
    // MARK: A key from elsewhere

    @Test("a derived key opens the vault without its passphrase, and deriving opens nothing")
    func derivedKey() throws {
        let place = try TemporaryVault()
        let (deriving, holding) = (place.handle(), place.handle())
        try place.unlocked().set(.password, "hunter2")
        let key = try deriving.deriveKey(Secret.text(TemporaryVault.passphrase))
        #expect(key.count == 32)
        #expect(!deriving.isUnlocked)
        try holding.unlock(key: key)
        #expect(try holding.text(of: .password) == "hunter2")
        try holding.set(.password, "newer")
        #expect(try place.unlocked().text(of: .password) == "newer")
        // Again, of a vault that is unlocked.
        try holding.unlock(key: key)
        #expect(try holding.text(of: .password) == "newer")
    }

    @Test("a wrong passphrase is found where the key is derived, and a wrong key where it is to open")
    func wrongKey() throws {
        let place = try TemporaryVault()
        let vault = place.handle()
        #expect(throws: VaultError.wrongPassphrase) { _ = try vault.deriveKey(Secret.text("wrong")) }
        #expect(throws: VaultError.wrongPassphrase) { try vault.unlock(key: Secret.random(count: 32)) }
        for count in [0, 31, 33] {
            #expect(throws: VaultError.refused(reason: "the key of a vault has 32 bytes")) {
                try vault.unlock(key: Secret.random(count: count))
            }
        }
        #expect(!vault.isUnlocked)
        #expect(throws: VaultError.noVault(path: "/none/x")) {
            _ = try Vault(at: .file("/none/x")).deriveKey(Secret.text("x"))
        }
    }

    @Test("a key of before a change of the passphrase opens nothing")
    func oldKey() throws {
        let place = try TemporaryVault()
        let key = try place.handle().deriveKey(Secret.text(TemporaryVault.passphrase))
        try place.unlocked().changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
        #expect(throws: VaultError.wrongPassphrase) { try place.handle().unlock(key: key) }
    }

    @Test("a lock while a key is proved wins")
    func lockWins() throws {
        let place = try TemporaryVault()
        let key = try place.handle().deriveKey(Secret.text(TemporaryVault.passphrase))
        let next = Mutex<(@Sendable () -> Void)?>(nil)
        let system = FaultingSystemCalls(before: { call in if call == .close { next.withLock { $0.take() }?() } })
        let vault = Vault(at: .file(place.path), surroundings: .init(system: system))
        next.withLock { $0 = { vault.lock() } }
        #expect(throws: VaultError.locked) { try vault.unlock(key: key) }
        #expect(!vault.isUnlocked)
    }

    @Test("an old file is refused with a key as with a passphrase, and taken where that is asked for")
    func freshness() throws {
        let place = try TemporaryVault()
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        let key = try place.handle().deriveKey(passphrase)
        let old = try place.bytes()
        let remembering = place.remembering()
        try remembering.unlock(key: key)
        try remembering.set(.password, "x")
        try place.write(old)
        #expect(throws: VaultError.rolledBack(generation: 1, newest: 2)) { try place.remembering().unlock(key: key) }
        try place.remembering().unlock(key: key, acceptingUnexpectedFile: true)
        try place.remembering().unlock(key: key)
    }

    // MARK: Time

    @Test("the time that is left shrinks, asking does not extend it, and a use extends the idle part alone")
    func timeLeft() throws {
        let clock = ManualClock()
        let vault = try AutoLockTests.vault(AutoLock(idle: .seconds(60), maximumAge: .seconds(300)), clock: clock)
        #expect(vault.timeLeft == .init(idle: .seconds(60), maximumAge: .seconds(300)))
        clock.advance(by: .seconds(20))
        #expect(vault.timeLeft == .init(idle: .seconds(40), maximumAge: .seconds(280)))
        _ = try vault[.retries]
        #expect(vault.timeLeft == .init(idle: .seconds(60), maximumAge: .seconds(280)))
        clock.advance(by: .seconds(60))
        #expect(vault.timeLeft == nil)
        #expect(try AutoLockTests.vault(.never, clock: clock).timeLeft == .init(idle: nil, maximumAge: nil))
    }

    @Test("a change waits for the file's lock no longer than its surroundings say")
    func fileLockTimeout() throws {
        let place = try TemporaryVault()
        var surroundings = VaultSurroundings()
        surroundings.fileLockTimeout = .milliseconds(50)
        let vault = Vault(at: .file(place.path), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        let held = try VaultStore(path: place.path).begin(.update)
        let start = ContinuousClock.now
        #expect(throws: VaultError.ioError(step: "lock the vault", errno: EWOULDBLOCK, path: place.path)) {
            try vault.set(.password, "x")
        }
        #expect(ContinuousClock.now - start < .seconds(8))
        _ = consume held
        try vault.set(.password, "x")
    }

    // MARK: The file, changed elsewhere while nobody asks

    private func followed(_ place: TemporaryVault) throws -> Vault {
        var surroundings = VaultSurroundings()
        surroundings.watchesAlways = true
        let vault = Vault(at: .file(place.path), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        return vault
    }

    private func waitUntil(_ condition: () -> Bool) -> Bool {
        for _ in 0..<6_000 {
            if condition() { return true }
            usleep(10_000)
        }
        return condition()
    }

    @Test(
        "a passphrase that was changed elsewhere locks a watched vault, with its copy and without",
        arguments: [true, false])
    func changedElsewhere(hasCopy: Bool) throws {
        let place = try TemporaryVault()
        let (vault, plain) = (try followed(place), try place.unlocked())
        if !hasCopy { vault.dropCopy() }
        try place.unlocked().changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
        #expect(waitUntil { vault.lockState == .locked })
        // Without the watch it takes an access.
        #expect(plain.isUnlocked)
    }

    @Test("a save elsewhere leaves a watched vault unlocked, without a copy too")
    func savedElsewhere() throws {
        let place = try TemporaryVault()
        let vault = try followed(place)
        vault.dropCopy()
        try place.unlocked().set(.password, "x")
        try Background.settle()
        usleep(100_000)
        #expect(vault.lockState == .unlockedWithoutCopy)
        #expect(try vault.text(of: .password) == "x")
    }

    @Test("a handle that catches up sees what another one has saved, at once")
    func catchUp() throws {
        let (clock, place) = (ManualClock(), try TemporaryVault())
        let vault = try AutoLockTests.vault(.never, clock: clock, place: place)
        #expect(try vault[.retries] == 3)
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        #expect(try vault[.retries] == 3)
        vault.catchUp()
        #expect(try vault[.retries] == 7)
    }

    @Test("a read that another look overtakes sees what that has found")
    func overtaken() throws {
        let (clock, place) = (ManualClock(), try TemporaryVault())
        let other = Mutex<Vault?>(nil)
        var surroundings = VaultSurroundings.with(clock: clock)
        surroundings.system = FaultingSystemCalls(before: { call in
            guard call == .status, let vault = other.withLock({ $0.take() }) else { return }
            vault.catchUp()
        })
        let vault = Vault(at: .file(place.path), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        #expect(try vault[.retries] == 3)
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        clock.advance(by: .seconds(1))
        other.withLock { $0 = vault }
        #expect(try vault[.retries] == 7)
        #expect(other.withLock { $0 == nil })
    }

    @Test("the kernel's signs of pressure and of sleep are those of the surroundings")
    func triggers() throws {
        let (pressure, jump) = (try NoticePipe(), try NoticePipe())
        let (place, clock) = (try TemporaryVault(), ManualClock())
        var surroundings = VaultSurroundings.with(clock: clock)
        surroundings.triggers.cgroup = { nil }
        surroundings.triggers.open = { _, _ in .success(pressure.notice) }
        surroundings.triggers.clockChanges = { .success(jump.notice) }
        let vault = Vault(
            at: .file(place.path), autoLock: AutoLock(triggers: [.memoryPressure, .sleep]), surroundings: surroundings)
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        pressure.tell("some")
        #expect(waitUntil { vault.lockState == .unlockedWithoutCopy })
        #expect(try vault[.retries] == 3)
        clock.sleep(for: .seconds(5))
        jump.tell("x")
        #expect(waitUntil { vault.lockState == .locked })
    }

    // MARK: Reading

    @Test("a value comes with the generation that it is of")
    func generation() throws {
        let vault = try TemporaryVault().unlocked()
        let read = { (name: String) throws in
            try vault.withValueOfSave(of: name) { (reader, object, generation) throws(VaultError) in
                (object.map { reader.kind(of: $0) }, generation)
            }
        }
        #expect(try read("password") == (nil, 1))
        try vault.set(.password, "x")
        #expect(try read("password") == (.string, 2))
        #expect(try vault.summary().generation == 2)
        #expect(try vault.summary().numbers.settingsCount == 1)
        #expect(try vault.summary().vaultID.count == 16)
        vault.lock()
        #expect(throws: VaultError.locked) { try read("password") }
        #expect(throws: VaultError.locked) { try vault.summary() }
        #expect(throws: VaultError.locked) { try vault.page(after: nil, bytes: 10) }
    }

    @Test("pages give every name once and in order, whatever their size")
    func pages() throws {
        let vault = try TemporaryVault().unlocked()
        #expect(try vault.page(after: nil, bytes: 100).settings == [])
        // In code points, U+FFFD comes before U+1F511; in UTF-16 units it does not.
        let names = (0..<50).map { "name\($0)" } + ["\u{E4}", "\u{FFFD}", "\u{1F511}"]
        try vault.update { draft in for name in names { draft.set(SettingKey(name, default: 0), to: 1) } }
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for bytes in [0, 1, 20, 1_000] {
            var (found, last): ([String], String?) = ([], nil)
            while true {
                let page = try vault.page(after: last, bytes: bytes)
                #expect(page.generation == 2)
                #expect(page.settings.allSatisfy { $0.kind == .integer && $0.modified != nil })
                found += page.settings.map(\.name)
                last = found.last
                guard page.hasMore else { break }
            }
            #expect(found == sorted)
        }
        // Behind a name that is not there, and behind the last.
        #expect(try vault.page(after: "name4a", bytes: 1).settings.map(\.name) == ["name5"])
        let last = try vault.page(after: "\u{1F511}", bytes: 1)
        #expect(last.settings == [] && !last.hasMore)
    }

    // MARK: Drafts

    @Test("a list of another process is checked before it is stored")
    func checkedList() throws {
        let vault = try TemporaryVault().unlocked()
        var arena = try GuardedArena()
        let range = try LeafList.append(integer: 7, to: &arena)
        let good = arena.bytes.array
        let nested = try Self.nested(31)
        try vault.update { draft in
            draft.set("retries", checking: arena.bytes.extracting(range))
            draft.set("deep", checking: nested.rawSpan)
            let kinds = (try draft.kind(of: "retries"), try draft.kind(of: "absent"))
            #expect(kinds == (.integer, nil))
            let (isEmpty, generation) = (draft.isEmpty, draft.generation)
            #expect(!isEmpty && generation == 1)
        }
        #expect(try vault[.retries] == 7)
        for bad in [[], Array(good.dropLast()), good + [0], [UInt8](repeating: 0, count: 42)] {
            #expect(throws: VaultError.refused(reason: "a value is not in the canonical form of a property list")) {
                try vault.update { draft in
                    draft.set(.username, to: "lost")
                    draft.set("retries", checking: bad.rawSpan)
                }
            }
        }
        let tooDeep = try Self.nested(32)
        #expect(throws: VaultError.limitExceeded(field: "depth", value: 33, bound: 32)) {
            try vault.update { draft in draft.set("deep", checking: tooDeep.rawSpan) }
        }
        #expect(try vault.names() == ["deep", "retries"])
    }

    private static func nested(_ depth: Int) throws -> [UInt8] {
        var builder = try PropertyListBuilder()
        for _ in 0..<depth { try builder.beginArray() }
        for _ in 0..<depth { try builder.endArray() }
        let list = try builder.finish(maximumDepth: depth)
        return list.bytes.array
    }

    // MARK: Places

    @Test("spellings of a path are one place, also of a file that is not there")
    func places() throws {
        let place = try TemporaryVault()
        let real = try Vault(at: .file(place.path)).path()
        let directory = place.directory.path
        let link = "\(directory)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "test.coffer")
        let folder = "\(directory).folder"
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: directory)
        let found = VaultPlace.resolved(real)
        for spelling in [link, "\(folder)/test.coffer", "\(directory)/./../\(place.directory.lastPathComponent)//link"]
        {
            #expect(VaultPlace.resolved(spelling) == found)
        }
        #expect(VaultPlace.resolved("\(folder)/none") == VaultPlace.resolved("\(directory)/none"))
        #expect(VaultPlace.resolved("\(directory)/none") != found)
        #expect(VaultPlace.resolved("/none/x") == Array("/none/x".utf8))
        #expect(VaultPlace.resolved("/none") == Array("/none".utf8))
        #expect(VaultPlace.resolved("none") == Array("none".utf8))
    }
}
