import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing
import VaultFile

/// A vault's first settings are part of it from the beginning, and a first run is told from all others.
@Suite struct FirstRunTests {
    struct Interrupted: Error, Equatable {}

    private static func create(_ vault: Vault, _ initial: (inout Draft) throws -> Void) throws {
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        try vault.create(passphrase: passphrase, derivation: TemporaryVault.cheap, initial: initial)
    }

    @discardableResult
    private static func open(_ vault: Vault, _ initial: (inout Draft) throws -> Void) throws -> VaultOpening {
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        return try vault.unlockOrCreate(passphrase, derivation: TemporaryVault.cheap, initial: initial)
    }

    private static func generation(_ place: TemporaryVault) throws -> UInt64 {
        let bytes = try place.bytes()
        let header = try VaultHeader(bytes.rawSpan)
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: header.keyDerivation)
        return try SealedVault.open(bytes.rawSpan, header: header, key: key).generation
    }

    @Test("the first settings are there with the file, in generation 1")
    func firstSettings() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        let secret = try Secret.text("hunter2")
        try Self.create(vault) { (draft: inout Draft) throws in
            let before = try draft[.username]
            #expect(before == "anonymous")
            draft.set(.username, to: "ann")
            draft.set(.ports, to: [])
            draft.set(.password, to: secret)
            draft.set(.nickname, to: nil)
            let files = try place.files()
            #expect(files == [])
        }
        #expect(try vault[.username] == "ann")
        let other = try place.unlocked()
        #expect(try other[.ports] == [])
        #expect(try other.text(of: .password) == "hunter2")
        #expect(try other.names() == ["password", "ports", "username"])
        #expect(try Self.generation(place) == 1)
    }

    @Test("a closure that throws leaves nothing behind, no file, no lock and no directory")
    func throwing() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        #expect(throws: Interrupted()) { try Self.create(vault) { _ in throw Interrupted() } }
        #expect(throws: Interrupted()) {
            try Self.open(vault) { draft in
                draft.set(.username, to: "ann")
                throw Interrupted()
            }
        }
        // An error of another vault is not taken for one of this.
        #expect(throws: VaultError.alreadyExists(path: "elsewhere")) {
            try Self.open(vault) { _ in throw VaultError.alreadyExists(path: "elsewhere") }
        }
        #expect(throws: VaultError.noVault(path: "elsewhere")) {
            try Self.open(vault) { _ in throw VaultError.noVault(path: "elsewhere") }
        }
        #expect(!vault.isUnlocked)
        #expect(try place.files() == [])
    }

    @Test("what the closure sets wrongly is refused, and leaves nothing behind")
    func refused() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        #expect(throws: VaultError.refused(reason: "a setting needs a name")) {
            try Self.create(vault) { draft in draft.set(SettingKey("", default: 0), to: 1) }
        }
        #expect(throws: VaultError.limitExceeded(field: "depth", value: 33, bound: 32)) {
            try Self.open(vault) { draft in draft.set(StoredValue.key("deep"), to: .nested(32)) }
        }
        let place2 = try TemporaryVault()
        let unlocked = try place2.unlocked()
        #expect(throws: VaultError.refused(reason: "the draft is that of another update")) {
            try Self.create(vault) { (mine: inout Draft) throws in
                _ = try? unlocked.update { (others: inout Draft) throws in swap(&mine, &others) }
            }
        }
        #expect(try place.files() == [])
    }

    @Test("the closure is not called when all is refused anyway")
    func early() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        func expect(
            _ error: VaultError, _ passphrase: String, _ derivation: KeyDerivation = TemporaryVault.cheap
        ) throws {
            let passphrase = try Secret.text(passphrase)
            #expect(throws: error) {
                try vault.create(passphrase: passphrase, derivation: derivation) { _ in Issue.record("called") }
            }
        }
        try expect(.refused(reason: "the passphrase is empty"), "")
        try expect(
            .limitExceeded(field: "ops", value: 17, bound: 16), "correct horse",
            KeyDerivation(passes: 17, memoryKiB: 8_192))
        let passphrase = try Secret.text("correct horse")
        #expect(throws: VaultError.limitExceeded(field: "ops", value: 1, bound: 3)) {
            try vault.unlockOrCreate(passphrase, cost: KeyDerivationCost(passes: 1, memoryKiB: 65_536)) { _ in
                Issue.record("called")
            }
        }
        #expect(try place.files() == [])
        try Self.create(vault) { _ in }
        #expect(throws: VaultError.alreadyExists(path: place.path)) {
            try Self.create(place.handle()) { _ in Issue.record("called") }
        }
    }

    @Test("a first run is told from every later one, which changes nothing")
    func openings() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        #expect(try Self.open(vault) { draft in draft.set(.retries, to: 0) } == .firstRun)
        #expect(try vault[.retries] == 0)
        let bytes = try place.bytes()
        vault.lock()
        #expect(try Self.open(vault) { _ in Issue.record("called") } == .existing)
        #expect(try vault[.retries] == 0)
        #expect(try vault.unlockOrCreate(Secret.text(TemporaryVault.passphrase)) == .existing)
        #expect(try place.bytes() == bytes)
        #expect(throws: VaultError.wrongPassphrase) {
            try place.handle().unlockOrCreate(Secret.text("wrong")) { _ in Issue.record("called") }
        }
        var damaged = bytes
        damaged[100] ^= 1
        for wrong in [damaged, [], Array("plain text".utf8)] {
            try place.write(wrong)
            #expect(throws: VaultError.self) { try Self.open(place.handle()) { _ in Issue.record("called") } }
            #expect(try place.bytes() == wrong)
        }
    }

    @Test("without first settings an empty vault is made, of the default cost")
    func empty() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        #expect(try vault.unlockOrCreate(passphrase) == .firstRun)
        #expect(try vault.names() == [])
        #expect(try vault.inspect().cost == .moderate)
        #expect(try Self.generation(place) == 1)
    }

    @Test("whoever comes second, while the first derives its key, ends with the other's vault")
    func overtaken() throws {
        let place = try TemporaryVault(create: false)
        let (first, second) = (place.handle(), place.handle())
        let opening = try Self.open(first) { (draft: inout Draft) throws in
            draft.set(.username, to: "first")
            let opening = try Self.open(second) { draft in draft.set(.username, to: "second") }
            #expect(opening == .firstRun)
        }
        #expect(opening == .existing)
        #expect(try first[.username] == "second")
        #expect(try Self.generation(place) == 1)
        // The plain form has nothing to fall back on.
        let other = try TemporaryVault(create: false)
        #expect(throws: VaultError.alreadyExists(path: other.path)) {
            try Self.create(other.handle()) { _ in try Self.create(other.handle()) { _ in } }
        }
    }

    @Test("of many that all find no vault one makes it, and all see the same")
    func race() throws {
        let place = try TemporaryVault(create: false)
        let openings = Mutex<[(VaultOpening, Int)]>([])
        let group = DispatchGroup()
        for index in 1...4 {
            group.enter()
            Thread {
                let vault = place.handle()
                let opening = try? Self.open(vault) { draft in draft.set(.retries, to: index) }
                if let opening, let retries = try? vault[.retries] {
                    openings.withLock { $0.append((opening, retries)) }
                }
                group.leave()
            }.start()
        }
        group.wait()
        let ended = openings.withLock { $0 }
        #expect(ended.count == 4)
        #expect(ended.filter { $0.0 == .firstRun }.count == 1)
        #expect(Set(ended.map(\.1)).count == 1)
        #expect(try Self.generation(place) == 1)
        #expect(try place.files().filter { $0.hasSuffix(".coffer") } == ["test.coffer"])
    }

    @Test("a lock while the vault is being made wins, and the file stands")
    func lockMeanwhile() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        try Self.create(vault) { draft in
            draft.set(.retries, to: 0)
            vault.lock()
        }
        #expect(!vault.isUnlocked)
        #expect(try place.unlocked()[.retries] == 0)
    }

    @Test("the closure cannot change the vault that is being made by another call")
    func nesting() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        let refusal = VaultError.refused(
            reason: "a change cannot begin inside the closure of an update of the same vault")
        try Self.create(vault) { (_: inout Draft) throws in
            #expect(throws: refusal) { try vault.update { _ in } }
            #expect(throws: refusal) { try Self.create(vault) { _ in } }
            #expect(throws: refusal) { try Self.open(vault) { _ in } }
            #expect(throws: VaultError.locked) { try vault[.retries] }
        }
        #expect(try place.unlocked().names() == [])
    }

    @Test("in async code the closure runs where the caller does") @MainActor
    func asynchronous() async throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        var calls = 0
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        let first = try await vault.unlockOrCreate(passphrase, derivation: TemporaryVault.cheap) { draft in
            MainActor.assertIsolated()
            calls += 1
            draft.set(.retries, to: 0)
        }
        #expect(first == .firstRun)
        let second = try await place.handle().unlockOrCreate(passphrase, derivation: TemporaryVault.cheap) { _ in
            calls += 1
        }
        #expect(second == .existing)
        let third = try await place.handle().unlockOrCreate(passphrase)
        #expect(third == .existing)
        #expect(calls == 1)
        #expect(try vault[.retries] == 0)
    }

    @Test("a lock meanwhile wins, also when another makes the vault at the same time")
    func lockWins() async throws {
        var place = try TemporaryVault(create: false)
        var vault = place.handle()
        #expect(throws: VaultError.locked) {
            try Self.open(vault) { _ in
                try Self.create(place.handle()) { _ in }
                vault.lock()
            }
        }
        #expect(!vault.isUnlocked)
        place = try TemporaryVault(create: false)
        vault = place.handle()
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        await #expect(throws: VaultError.locked) {
            try await vault.unlockOrCreate(passphrase, derivation: TemporaryVault.cheap) { _ in
                try Self.create(place.handle()) { _ in }
                vault.lock()
            }
        }
        #expect(!vault.isUnlocked)
    }
}
