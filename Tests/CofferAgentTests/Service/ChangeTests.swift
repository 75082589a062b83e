import Coffer
import CofferAgent
import Foundation
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

@Suite struct ChangeTests {
    private func unlocked(lockTimeout: Duration = AgentService.longestWait) throws -> (Scene, TemporaryVault) {
        let (scene, place) = (Scene(lockTimeout: lockTimeout), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        return (scene, place)
    }

    private func refused(_ reason: String) -> Answer { .failure(.vault(.refused(reason: reason))) }

    @Test("a change is on the disk when it is answered, and tells what was there before")
    func saves() throws {
        let (scene, place) = try unlocked()
        try place.unlocked().update { draft in draft.set(SettingKey("count", default: 0), to: 1) }
        let answer = try scene.change(place, .set("count", "text"), .set("password", "one"), .set("password", "two"))
        #expect(answer == .changed(generation: 3, before: [.integer, nil, .string]))
        let other = try place.unlocked()
        #expect(try other[SettingKey("password", default: "")] == "two")
        #expect(try scene.text(place, "count") == "text")
        // Nothing to do is no save.
        #expect(try scene.change(place) == .changed(generation: 3, before: []))
    }

    @Test("all steps are done or none")
    func allOrNothing() throws {
        let (scene, place) = try unlocked()
        #expect(try scene.change(place, .set("a", "1")) == .changed(generation: 2, before: [nil]))
        let before = try place.bytes()
        #expect(
            try scene.change(place, .set("b", "2"), .set("a", "3", replaces: false)) == .failure(.refused(.isThere)))
        #expect(
            try scene.change(place, .set("b", "2"), .other(.remove(name: "none", undoable: false, mayBeAbsent: false)))
                == .failure(.vault(.notFound(name: "none"))))
        #expect(
            try scene.change(place, .set("b", "2"), .other(.rename(from: "none", to: "x", replaces: true)))
                == .failure(.vault(.notFound(name: "none"))))
        #expect(
            try scene.change(place, .set("b", "2"), .other(.rename(from: "b", to: "a", replaces: false)))
                == .failure(.refused(.isTaken)))
        #expect(
            try scene.change(place, .set("b", "2"), .other(.undo(name: "none")))
                == .failure(.vault(.notFound(name: "none"))))
        #expect(
            try scene.change(place, .set("b", "2"), .set("", "x")) == refused("a setting needs a name"))
        #expect(try place.bytes() == before)
        #expect(try scene.text(place, "b") == nil)
    }

    @Test("lists that are none, and places outside the values, are refused and save nothing")
    func hostile() throws {
        let (scene, place) = try unlocked()
        let before = try place.bytes()
        for (bytes, range) in [([UInt8](), 0..<0), ([1, 2, 3], 0..<3), ([], 0..<1), ([], 9..<10)] {
            var values = try GuardedArena()
            try values.append(bytes.rawSpan)
            let steps = [AgentStep.set(name: "a", value: range, replaces: true)]
            let answer = try scene.ask(
                .change(AgentChange(path: place.path, expected: nil, steps: steps, values: values)))
            let isOutside = range.upperBound > bytes.count
            #expect(
                answer
                    == (isOutside
                        ? .failure(.malformed) : refused("a value is not in the canonical form of a property list")))
        }
        #expect(try place.bytes() == before)
    }

    @Test("a change that rests on a generation is refused when that is no longer the newest")
    func expected() throws {
        let (scene, place) = try unlocked()
        #expect(try scene.change(place, expected: 1, .set("a", "1")) == .changed(generation: 2, before: [nil]))
        #expect(try scene.change(place, expected: 1, .set("a", "2")) == .failure(.generation(2)))
        let secret = try Secret.text("theirs")
        try place.unlocked().update { draft in draft.set(SecretKey("a"), to: secret) }
        #expect(try scene.change(place, expected: 2, .set("a", "3")) == .failure(.generation(3)))
        #expect(try scene.text(place, "a") == "theirs")
        #expect(try scene.change(place, expected: 3, .set("a", "4")) == .changed(generation: 4, before: [.string]))
    }

    @Test("undo, rename and removal do what they do without an agent")
    func history() throws {
        let (scene, place) = try unlocked()
        _ = try scene.change(place, .set("a", "1"))
        _ = try scene.change(place, .set("a", "2"))
        #expect(try scene.change(place, .other(.undo(name: "a"))) == .changed(generation: 4, before: [.string]))
        #expect(try scene.text(place, "a") == "1")
        _ = try scene.change(place, .set("b", "x"))
        let renamed = try scene.change(place, .other(.rename(from: "a", to: "b", replaces: true)))
        #expect(renamed == .changed(generation: 6, before: [.string]))
        #expect(try scene.text(place, "b") == "1")
        #expect(try scene.text(place, "a") == nil)
        let removal = Scene.Step.other(.remove(name: "b", undoable: true, mayBeAbsent: false))
        // A name that is given twice is gone by the second time.
        #expect(try scene.change(place, removal, removal) == .changed(generation: 7, before: [.string, nil]))
        #expect(try scene.change(place, .other(.undo(name: "b"))) == .changed(generation: 8, before: [nil]))
        #expect(try scene.text(place, "b") == "1")
        _ = try scene.change(place, removal)
        // What is kept for an undo can be removed for good, once.
        let drop = Scene.Step.other(.remove(name: "b", undoable: false, mayBeAbsent: false))
        #expect(try scene.change(place, drop) == .changed(generation: 10, before: [nil]))
        #expect(try scene.change(place, drop) == .failure(.vault(.notFound(name: "b"))))
    }

    @Test("a file lock that another holds is waited for so long, and reads and locks go on meanwhile")
    func fileLock() throws {
        #expect(AgentService.longestWait == .seconds(5))
        let (scene, place) = try unlocked(lockTimeout: .milliseconds(300))
        let held = try VaultStore(path: place.path).begin(.update)
        let change = try scene.beginChange(place.path, [.set("a", "1")])
        #expect(try scene.ask(.value(path: place.path, name: "a")) == .value(generation: 1, list: nil))
        let path = String(decoding: VaultPlace.resolved(place.path), as: UTF8.self)
        #expect(
            try change.wait()
                == .failure(.vault(.ioError(step: "lock the vault", errno: EWOULDBLOCK, path: path))))
        // Locked meanwhile, it is not saved.
        let late = try scene.beginChange(place.path, [.set("a", "2")])
        #expect(scene.begin(.lock(path: nil)).now == .done)
        #expect(scene.status == [])
        _ = consume held
        _ = try late.wait()
        #expect(try scene.unlock(place) == .done)
        #expect(scene.service.heldCount == 1)
    }

    @Test("a full disk fails the one save, with its step, and the next one is made")
    func fullDisk() throws {
        let (scene, place) = (Scene(failing: (.fails(ENOSPC), at: 2, of: .write)), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        #expect(try scene.change(place, .set("a", "1")) == .changed(generation: 2, before: [nil]))
        let path = String(decoding: VaultPlace.resolved(place.path), as: UTF8.self)
        #expect(
            try scene.change(place, .set("a", "2"))
                == .failure(.vault(.ioError(step: "write the temporary file", errno: ENOSPC, path: path))))
        #expect(try scene.text(place, "a") == "1")
        #expect(try scene.change(place, .set("a", "3")) == .changed(generation: 3, before: [.string]))
        #expect(try place.files().filter { $0.contains("tmp") } == [])
    }

    @Test("a change that is in force but may not survive a power cut says so, and is seen")
    func notSynced() throws {
        // The file is synchronised first, then its directory.
        let (scene, place) = (Scene(failing: (.fails(EIO), at: 2, of: .synchronize)), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        let path = String(decoding: VaultPlace.resolved(place.path), as: UTF8.self)
        #expect(
            try scene.change(place, .set("a", "1"))
                == .failure(.vault(.savedButNotSynced(errno: EIO, path: path))))
        #expect(try scene.text(place, "a") == "1")
    }

    @Test("a save that has waited too long for others is refused, and says that nothing is done")
    func waitsInVain() throws {
        let (scene, place) = try unlocked()
        let gate = Gate()
        scene.before(.write) { gate.pass() }
        let first = try scene.beginChange(place.path, [.set("a", "1")])
        gate.waitForArrival()
        let second = try scene.beginChange(place.path, [.set("b", "2")])
        scene.clock.advance(by: .seconds(6))
        let third = try scene.beginChange(place.path, [.set("c", "3")])
        gate.open()
        #expect(try first.wait() == .changed(generation: 2, before: [nil]))
        #expect(
            try second.wait()
                == .failure(
                    .vault(
                        .ioError(
                            step: "begin to save: an earlier save takes too long", errno: EWOULDBLOCK,
                            path: place.path))))
        #expect(try third.wait() == .changed(generation: 3, before: [nil]))
        #expect(try place.unlocked().names() == ["a", "c"])
    }

    @Test("a save that has begun stands when the vault is locked, and one that waits is refused")
    func lockedMeanwhile() throws {
        let (scene, place) = try unlocked()
        let gate = Gate()
        scene.before(.write) { gate.pass() }
        let first = try scene.beginChange(place.path, [.set("a", "1")])
        gate.waitForArrival()
        let second = try scene.beginChange(place.path, [.set("b", "2")])
        #expect(try scene.ask(.lock(path: place.path)) == .done)
        gate.open()
        #expect(try first.wait() == .changed(generation: 2, before: [nil]))
        #expect(try second.wait() == .locked)
        #expect(try place.unlocked().names() == ["a"])
    }

    @Test("a read after a save sees it, also when the vault was unlocked anew in the middle of it")
    func unlockedAnew() throws {
        let (scene, place) = try unlocked()
        let gate = Gate()
        scene.before(.rename) { gate.pass() }
        let change = try scene.beginChange(place.path, [.set("a", "1")])
        gate.waitForArrival()
        #expect(try scene.unlock(place) == .done)
        // It has looked at the file, and will not look again for a while.
        #expect(try scene.text(place, "a") == nil)
        gate.open()
        #expect(try change.wait() == .changed(generation: 2, before: [nil]))
        #expect(try scene.text(place, "a") == "1")
    }

    @Test("a conflict with a passphrase that was changed elsewhere ends the unlock")
    func conflict() throws {
        let (scene, place) = try unlocked()
        try place.unlocked().changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
        let answer = try scene.change(place, .set("a", "1"))
        #expect([.failure(.vault(.conflict)), .locked].contains(answer))
        #expect(scene.status == [])
    }
}
