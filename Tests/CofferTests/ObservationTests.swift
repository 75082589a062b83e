import Coffer
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
    @Test("lock states and names of changes come in their order")
    func order() async throws {
        let vault = try TemporaryVault().handle()
        var events = vault.events().makeAsyncIterator()
        try await vault.unlock(Secret.text(TemporaryVault.passphrase))
        #expect(await events.next() == .lockState(.unlocked))
        try vault.set(.password, "secret")
        try vault.update { draft in
            draft.set(.username, to: "ann")
            draft.rename("password", to: "login/password")
        }
        // Changes that follow each other are told as one.
        #expect(await events.next() == .changed(names: ["login/password", "password", "username"]))
        vault.dropCopy()
        #expect(vault.lockState == .unlockedWithoutCopy)
        #expect(await events.next() == .lockState(.unlockedWithoutCopy))
        _ = try vault[.username]
        #expect(await events.next() == .lockState(.unlocked))
        try vault.update { _ in }
        vault.lock()
        vault.lock()
        #expect(await events.next() == .lockState(.locked))
    }

    @Test("what another handle saves is noticed without an access, by watching the file")
    func watching() async throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        let other = try place.unlocked()
        try other.update { draft in
            draft.set(.retries, to: 7)
            draft.set(SettingKey("b\u{E9}", default: ""), to: "new")
        }
        #expect(await events.next() == .changed(names: ["b\u{E9}", "retries"]))
        #expect(try vault[.retries] == 7)
        try other.update { draft in draft.remove("retries") }
        #expect(await events.next() == .changed(names: ["retries"]))
        #expect(try vault[.retries] == 3)
    }

    @Test("news of the file that come in the middle of an update are looked into at its end")
    func newsDuringUpdate() async throws {
        struct Stop: Error {}
        let place = try TemporaryVault()
        // A copy that was changed elsewhere and is put in place by a program that knows no locks.
        let elsewhere = try TemporaryVault(create: false)
        try elsewhere.write(place.bytes())
        try elsewhere.unlocked().update { draft in draft.set(.retries, to: 7) }
        let newer = try elsewhere.bytes()
        let vault = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        #expect(throws: Stop.self) {
            try vault.update { _ in
                try place.write(newer)
                try Background.settle()
                throw Stop()
            }
        }
        #expect(await events.next() == .changed(names: ["retries"]))
    }

    @Test("a file that cannot be watched is a warning, which a save keeps")
    func notWatched() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let elsewhere = place.directory.appendingPathExtension("elsewhere")
        try FileManager.default.moveItem(at: place.directory, to: elsewhere)
        let events = vault.events()
        try FileManager.default.moveItem(at: elsewhere, to: place.directory)
        let warning = VaultWarning.fileNotWatched(errno: 2)
        #expect(vault.warnings.contains(warning))
        try vault.addOne()
        #expect(vault.warnings.filter { $0 == warning }.count == 1)
        // Now it can be.
        _ = (events, vault.events())
        #expect(!vault.warnings.contains(warning))
        try vault.addOne()
        #expect(!vault.warnings.contains(warning))
    }

    @Test("a vault that is reached through a symbolic link is watched where it lies")
    func watchingLink() async throws {
        let place = try TemporaryVault()
        let link = place.directory.appendingPathComponent("sub").appendingPathComponent("link.coffer").path
        try FileManager.default.createDirectory(
            atPath: (link as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../test.coffer")
        let vault = Vault(at: .file(link))
        try await vault.unlock(Secret.text(TemporaryVault.passphrase))
        var events = vault.events().makeAsyncIterator()
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        #expect(await events.next() == .changed(names: ["retries"]))
    }

    @Test("what another handle saves is seen by a read a quarter of a second later, also without a watch")
    func reading() async throws {
        let clock = ManualClock()
        let place = try TemporaryVault()
        let vault = try AutoLockTests.vault(.never, clock: clock, place: place)
        _ = try vault[.retries]
        let other = try place.unlocked()
        try other.update { draft in draft.set(.retries, to: 7) }
        #expect(try vault[.retries] == 3)
        clock.advance(by: .milliseconds(250))
        #expect(try vault[.retries] == 7)
    }

    @Test("a file that broke, went away or is older takes nothing away from a reader")
    func brokenFile() throws {
        let clock = ManualClock()
        let place = try TemporaryVault()
        let old = try place.bytes()
        let vault = try AutoLockTests.vault(.never, clock: clock, place: place)
        try vault.update { draft in draft.set(.retries, to: 7) }
        let good = try place.bytes()
        for bytes in [old, [], Array(good.dropLast()), good.map { ~$0 }] {
            try place.write(bytes)
            clock.advance(by: .seconds(1))
            #expect(try vault[.retries] == 7)
            #expect(throws: VaultError.self) { try vault.update { draft in draft.set(.retries, to: 8) } }
        }
        try FileManager.default.removeItem(atPath: place.path)
        clock.advance(by: .seconds(1))
        #expect(try vault[.retries] == 7)
        #expect(vault.isUnlocked)
    }

    @Test("when the passphrase was changed elsewhere, the next look locks the vault")
    func rekeyed() async throws {
        let clock = ManualClock()
        let place = try TemporaryVault()
        let vault = try AutoLockTests.vault(.never, clock: clock, place: place)
        let other = try place.unlocked()
        try other.changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
        clock.advance(by: .seconds(1))
        #expect(throws: VaultError.conflict) { try vault[.retries] }
        #expect(vault.lockState == .locked)
        #expect(throws: VaultError.locked) { try vault[.retries] }
    }

    @Test("a change of passphrase elsewhere is noticed by the watch")
    func rekeyedWhileWatching() async throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        try place.unlocked().changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
        #expect(await events.next() == .lockState(.locked))
    }

    @Test("news of the file while the copy is dropped say that something changed, and decrypt nothing")
    func watchingWithoutCopy() async throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        vault.dropCopy()
        #expect(await events.next() == .lockState(.unlockedWithoutCopy))
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        #expect(await events.next() == .changedUnspecified)
        #expect(vault.lockState == .unlockedWithoutCopy)
    }

    @Test("an observer that does not keep up is told that it missed something, and keeps little")
    func missed() async throws {
        let vault = try TemporaryVault().unlocked()
        var events = vault.events().makeAsyncIterator()
        for _ in 0..<1_000 {
            vault.dropCopy()
            _ = try vault[.retries]
        }
        var seen: [VaultEvent] = []
        vault.lock()
        while let event = await events.next() {
            seen.append(event)
            if event == .lockState(.locked) { break }
        }
        #expect(seen.count <= 65)
        #expect(seen.first == .missed)
    }

    @Test("more names than one event lists are not listed")
    func manyNames() async throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        try vault.update { draft in for index in 0..<1_024 { draft.set(SettingKey("n\(index)", default: 0), to: 1) } }
        guard case .changed(let names) = await events.next() else {
            Issue.record("no names")
            return
        }
        #expect(names.count == 1_024)
        try vault.update { draft in for index in 0..<1_025 { draft.set(SettingKey("n\(index)", default: 0), to: 2) } }
        #expect(await events.next() == .changedUnspecified)
    }

    @Test("two observers each get everything, one that comes later only what comes later")
    func observers() async throws {
        let vault = try TemporaryVault().unlocked()
        var first = vault.events().makeAsyncIterator()
        try vault.update { draft in draft.set(.retries, to: 4) }
        var second = vault.events().makeAsyncIterator()
        vault.lock()
        #expect(await first.next() == .changed(names: ["retries"]))
        #expect(await first.next() == .lockState(.locked))
        #expect(await second.next() == .lockState(.locked))
    }

    @Test("the sequence ends with the handle, which it does not keep, and with its task")
    func ends() async throws {
        var vault: Vault? = try TemporaryVault().unlocked()
        weak let gone = vault
        let events = try #require(vault).events()
        let reader = Task {
            var seen: [VaultEvent] = []
            for await event in events { seen.append(event) }
            return seen
        }
        try vault?.update { draft in draft.set(.retries, to: 4) }
        vault = nil
        // A look at the file that the save has begun may hold it for a moment.
        #expect(BackgroundLoopTests.eventually { gone == nil })
        #expect(await reader.value == [.changed(names: ["retries"])])

        let other = try TemporaryVault().unlocked()
        let waiting = other.events()
        let cancelled = Task {
            var iterator = waiting.makeAsyncIterator()
            return await iterator.next()
        }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        other.lock()
        var iterator = waiting.makeAsyncIterator()
        #expect(await iterator.next() == .lockState(.locked))
    }

    @Test("an update that saves what another process saved before tells both, and one that throws tells no change")
    func updates() async throws {
        struct Stop: Error {}
        let place = try TemporaryVault()
        let clock = ManualClock()
        let vault = try AutoLockTests.vault(.never, clock: clock, place: place)
        let other = try place.unlocked()
        try other.update { draft in draft.set(.retries, to: 7) }
        var events = vault.events().makeAsyncIterator()
        try vault.update { draft in draft.set(.username, to: "ann") }
        var names: Set<String> = []
        while names != ["retries", "username"], case .changed(let more) = await events.next() { names.formUnion(more) }
        #expect(names == ["retries", "username"])
        #expect(throws: Stop.self) {
            try vault.update { draft in
                draft.set(.username, to: "bob")
                throw Stop()
            }
        }
        vault.lock()
        #expect(await events.next() == .lockState(.locked))
    }
}
