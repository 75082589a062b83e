import Coffer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Nothing that another process saves stays unsaid, whenever it saves.
@Suite(.timeLimit(.minutes(5))) struct NoticingTests {
    @Test("a save between the reading of an unlock and the watch of the file is told")
    func beforeWatch() async throws {
        let place = try TemporaryVault()
        let other = try place.unlocked()
        let isDone = Mutex(false)
        let system = FaultingSystemCalls(before: { call in
            // The file has been read when its descriptor is closed.
            guard call == .close, !isDone.withLock({ $0 }) else { return }
            isDone.withLock { $0 = true }
            try? other.update { draft in draft.set(.retries, to: 7) }
        })
        let vault = Vault(at: .file(place.path), surroundings: .init(system: system))
        var events = vault.events().makeAsyncIterator()
        try await vault.unlock(Secret.text(TemporaryVault.passphrase))
        #expect(await events.next() == .lockState(.unlocked))
        #expect(await events.next() == .changed(names: ["retries"]))
    }

    @Test("whoever begins to observe is told of what changed since the vault was read")
    func beforeObserver() async throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        var events = vault.events().makeAsyncIterator()
        #expect(await events.next() == .changed(names: ["retries"]))
    }

    @Test("an unlock of a vault that is unlocked tells what it found changed")
    func unlockAgain() async throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let other = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        // So that the watch has no time to tell it.
        try Background.held {
            try other.update { draft in draft.set(.retries, to: 7) }
            try vault.unlock(passphrase)
        }
        #expect(await events.next() == .changed(names: ["retries"]))
    }

    @Test("a directory that is moved away ends the watch, which is told; one that takes its place is watched")
    func movedDirectory() async throws {
        let place = try TemporaryVault()
        let (files, away) = (FileManager.default, place.directory.appendingPathExtension("away"))
        let vault = try place.unlocked()
        var events = vault.events().makeAsyncIterator()
        try files.moveItem(at: place.directory, to: away)
        #expect(
            BackgroundLoopTests.eventually { vault.warnings.contains(.fileNotWatched(errno: ENOENT)) },
            "\(vault.warnings)")
        try files.moveItem(at: away, to: place.directory)
        // Another observer is reason to try again, and both are told.
        var second = vault.events().makeAsyncIterator()
        #expect(!vault.warnings.contains(.fileNotWatched(errno: ENOENT)))
        try place.unlocked().update { draft in draft.set(.retries, to: 7) }
        #expect(await events.next() == .changed(names: ["retries"]))
        #expect(await second.next() == .changed(names: ["retries"]))
    }

    @Test("a directory that is moved away while a look at the file goes on is told as well")
    func movedDuringLook() async throws {
        let place = try TemporaryVault()
        let (files, away) = (FileManager.default, place.directory.appendingPathExtension("away"))
        let isArmed = Mutex(false)
        let isMoved = Mutex(false)
        let system = FaultingSystemCalls(before: { call in
            // The look opens the file; until it does, the watch has all the time to say that its directory has gone.
            guard call == .open,
                isArmed.withLock({ isArmed in
                    defer { isArmed = false }
                    return isArmed
                })
            else { return }
            try? files.moveItem(at: place.directory, to: away)
            usleep(300_000)
            isMoved.withLock { $0 = true }
        })
        let vault = Vault(at: .file(place.path), surroundings: .init(system: system))
        try await vault.unlock(Secret.text(TemporaryVault.passphrase))
        isArmed.withLock { $0 = true }
        // The first observer has the file watched and looked at.
        let events = vault.events().makeAsyncIterator()
        #expect(
            BackgroundLoopTests.eventually { vault.warnings.contains(.fileNotWatched(errno: ENOENT)) },
            "\(vault.warnings)")
        #expect(isMoved.withLock { $0 })
        withExtendedLifetime(events) {}
        try files.moveItem(at: away, to: place.directory)
    }
}
