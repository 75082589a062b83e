import Coffer
import CofferAgent
import Foundation
import SecureMemory
import TestSupport
import Testing

/// What locks a vault that the agent holds, and what does not.
@Suite struct LockTests {
    @Test("the idle deadline counts from the last use, and asking for the status is none")
    func idle() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place, idle: .seconds(60), maximumAge: .seconds(200)) == .done)
        scene.clock.advance(by: .seconds(40))
        #expect(try scene.ask(.value(path: place.path, name: "x")) == .value(generation: 1, list: nil))
        scene.clock.advance(by: .seconds(59))
        for _ in 0..<3 {
            #expect(scene.status.map(\.idleLeft) == [.seconds(1)])
            #expect(scene.status.map(\.maximumLeft) == [.seconds(101)])
            _ = try scene.epoch(place.path)
            _ = scene.service.heldCount
        }
        scene.clock.advance(by: .seconds(1))
        #expect(scene.status == [])
        #expect(try scene.ask(.value(path: place.path, name: "x")) == .locked)
        #expect(try scene.ask(.list(path: place.path, after: nil)) == .locked)
        #expect(try scene.ask(.details(path: place.path)) == .locked)
        #expect(try scene.change(place, .set("a", "b")) == .locked)
    }

    @Test("every kind of use extends the idle deadline, and none the maximum age")
    func maximumAge() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place, idle: .seconds(20), maximumAge: .seconds(60)) == .done)
        let path = place.path
        let uses: [() throws -> Answer] = [
            { try scene.ask(.value(path: path, name: "x")) }, { try scene.ask(.list(path: path, after: nil)) },
            { try scene.ask(.details(path: path)) }, { try scene.change(place, .set("a", "b")) },
        ]
        for use in uses {
            scene.clock.advance(by: .seconds(14))
            #expect(try use() != .locked)
        }
        scene.clock.advance(by: .seconds(4))
        #expect(scene.status == [])
    }

    @Test("memory pressure drops the copy and keeps the key; the next read decrypts the file again")
    func pressure() throws {
        let pressure = try NoticePipe()
        var triggers = TriggerSurroundings()
        triggers.cgroup = { nil }
        triggers.open = { _, _ in .success(pressure.notice) }
        let (scene, place) = (Scene(triggers: triggers), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        #expect(try scene.change(place, .set("password", "hunter2")) == .changed(generation: 2, before: [nil]))
        #expect(scene.status.map(\.lockState) == [.unlocked])
        pressure.tell("some")
        #expect(scene.waitUntil { scene.status.map(\.lockState) == [.unlockedWithoutCopy] })
        #expect(try scene.text(place) == "hunter2")
        #expect(scene.status.map(\.lockState) == [.unlocked])
    }

    @Test("a passphrase that was changed elsewhere locks although nobody asks")
    func changedElsewhere() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        try place.unlocked().changePassphrase(to: Secret.text("new"), derivation: TemporaryVault.cheap)
        #expect(scene.waitUntil { scene.status == [] })
        #expect(try scene.unlock(place, passphrase: "new") == .done)
        #expect(scene.service.heldCount == 1)
    }

    @Test("a save elsewhere is seen, and does not lock")
    func savedElsewhere() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        let other = try place.unlocked()
        let secret = try Secret.text("theirs")
        try other.update { draft in draft.set(SecretKey("password"), to: secret) }
        scene.clock.advance(by: .seconds(1))
        // While a look at the file goes on, a read is answered from what was there before.
        #expect(scene.waitUntil { (try? scene.text(place)) == "theirs" })
        #expect(scene.status.count == 1)
    }

    @Test("several vaults are held at once, and locked one by one; all spellings of a path are one vault")
    func several() throws {
        let (scene, first, second) = (Scene(), try TemporaryVault(), try TemporaryVault())
        #expect(try scene.unlock(first, path: "\(first.directory.path)/.//test.coffer") == .done)
        #expect(try scene.unlock(second) == .done)
        #expect(try scene.unlock(first) == .done)
        #expect(scene.status.count == 2)
        let link = "\(second.directory.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first.path)
        #expect(try scene.change(first, .set("password", "one")) == .changed(generation: 2, before: [nil]))
        #expect(try scene.ask(.value(path: link, name: "password")).text == "one")
        // A link that leads elsewhere now.
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.path)
        #expect(try scene.ask(.value(path: link, name: "password")) == .value(generation: 1, list: nil))
        #expect(try scene.ask(.lock(path: link)) == .done)
        #expect(scene.status.map(\.path) == [String(decoding: VaultPlace.resolved(first.path), as: UTF8.self)])
        #expect(try scene.ask(.lock(path: nil)) == .done)
        #expect(scene.status == [])
    }

    @Test("a lock by a link that has moved is answered when both vaults are locked")
    func movedLink() throws {
        let (scene, first, second) = (Scene(), try TemporaryVault(), try TemporaryVault())
        let link = "\(second.directory.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first.path)
        #expect(try scene.unlock(first, path: link) == .done)
        #expect(try scene.unlock(second) == .done)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.path)
        #expect(try scene.ask(.lock(path: link)) == .done)
        #expect(scene.status == [])
    }

    @Test("two file names that Unicode takes for one are two vaults")
    func unicode() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let paths = ["\u{E9}", "e\u{301}"].map { "\(place.directory.path)/\($0).coffer" }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: place.path))
        for path in paths {
            let file = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
            #expect(unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) } == bytes.count)
            close(file)
            #expect(try scene.unlock(place, path: path) == .done)
        }
        #expect(scene.status.count == 2)
        #expect(try scene.ask(.lock(path: paths[0])) == .done)
        #expect(scene.status.map { Array($0.path.utf8.suffix(10)) } == [Array(paths[1].utf8.suffix(10))])
    }

    @Test("a lock does not wait for a read that hangs, and the read is not answered with what is locked")
    func duringRead() throws {
        let (scene, place, gate) = (Scene(watchesFiles: false, readers: 1), try TemporaryVault(), Gate())
        #expect(try scene.unlock(place) == .done)
        #expect(try scene.change(place, .set("password", "hunter2")) == .changed(generation: 2, before: [nil]))
        #expect(try scene.text(place) == "hunter2")
        scene.clock.advance(by: .seconds(1))
        // The read looks at the file, and the drive is slow.
        scene.before(.open) { gate.pass() }
        let read = scene.begin(.value(path: place.path, name: "password"))
        gate.waitForArrival()
        let waiting = scene.begin(.value(path: place.path, name: "password"))
        let lock = scene.begin(.lock(path: place.path))
        #expect(scene.status == [])
        #expect(try lock.wait() == .done)
        #expect(read.now == nil)
        gate.open()
        #expect(try read.wait() == .locked)
        #expect(try waiting.wait() == .locked)
    }

    @Test("a lock by a path that was never seen waits for no read")
    func unknownSpelling() throws {
        let (scene, place, gate) = (Scene(watchesFiles: false, readers: 1), try TemporaryVault(), Gate())
        let link = "\(place.directory.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "test.coffer")
        #expect(try scene.unlock(place) == .done)
        scene.clock.advance(by: .seconds(1))
        scene.before(.open) { gate.pass() }
        let read = scene.begin(.value(path: place.path, name: "x"))
        gate.waitForArrival()
        let waiting = scene.begin(.value(path: place.path, name: "x"))
        #expect(try scene.ask(.lock(path: link)) == .done)
        #expect(scene.status == [])
        #expect(read.now == nil)
        gate.open()
        #expect(try read.wait() == .locked)
        #expect(try waiting.wait() == .locked)
    }

    @Test("what was read of a vault outlives the lock of another, and no lock of its own, unlocked anew or not")
    func sinceLock() throws {
        let (scene, first, second) = (Scene(), try TemporaryVault(), try TemporaryVault())
        #expect(try scene.unlock(first) == .done)
        #expect(try scene.unlock(second) == .done)
        let count = scene.service.noticeLocks().count
        #expect(try scene.ask(.lock(path: second.path)) == .done)
        #expect(scene.service.isHeld(first.path, since: count))
        #expect(!scene.service.isHeld(second.path, since: count))
        #expect(try scene.unlock(second) == .done)
        #expect(!scene.service.isHeld(second.path, since: count))
        #expect(scene.service.isHeld(second.path, since: scene.service.noticeLocks().count))
        // A second unlock is no lock.
        #expect(try scene.unlock(first) == .done)
        #expect(scene.service.isHeld(first.path, since: count))
        #expect(try scene.ask(.lock(path: nil)) == .done)
        #expect(!scene.service.isHeld(first.path, since: count))
    }

    @Test("what was read by way of a link that leads elsewhere now is not taken for what is there")
    func sinceMove() throws {
        let (scene, first, second) = (Scene(), try TemporaryVault(), try TemporaryVault())
        let link = "\(second.directory.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first.path)
        #expect(try scene.unlock(first, path: link) == .done)
        #expect(try scene.unlock(second) == .done)
        let count = scene.service.noticeLocks().count
        #expect(scene.service.isHeld(link, since: count))
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: second.path)
        #expect(try scene.ask(.value(path: link, name: "x")) == .value(generation: 1, list: nil))
        #expect(!scene.service.isHeld(link, since: count))
        // That is no lock, and what begins behind the next one is known again.
        #expect(scene.service.noticeLocks().count == count)
        #expect(try scene.ask(.lock(path: first.path)) == .done)
        #expect(!scene.service.isHeld(link, since: count))
        #expect(scene.service.isHeld(link, since: scene.service.noticeLocks().count))
    }

    @Test("what the vault warns of is told with its state")
    func warnings() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        let warnings = try #require(scene.status.first).warnings
        #expect(warnings.contains(.weakKeyDerivation(passes: 1, memoryKiB: 8_192)))
        #expect(warnings.contains(.freshnessNotRemembered(errno: 0, path: "~")))
    }
}
