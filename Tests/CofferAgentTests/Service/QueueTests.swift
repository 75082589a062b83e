import Coffer
import CofferAgent
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct QueueTests {
    @Test("work is done in its order, and no more waits than there may")
    func order() throws {
        let scene = Scene(watchesFiles: false, readers: 1)
        let place = try TemporaryVault()
        #expect(try scene.unlock(place) == .done)
        scene.clock.advance(by: .seconds(1))
        let gate = Gate()
        scene.before(.open) { gate.pass() }
        let first = scene.begin(.value(path: place.path, name: "x"))
        gate.waitForArrival()
        let waiting = (0..<1_024).map { _ in scene.begin(.value(path: place.path, name: "x")) }
        let tooMany = scene.begin(.value(path: place.path, name: "x"))
        #expect(tooMany.now == .failure(.busy))
        #expect(waiting.allSatisfy { $0.now == nil })
        #expect(scene.begin(.lock(path: nil)).now == .done)
        #expect(scene.status == [])
        gate.open()
        #expect(try first.wait() == .locked)
        for pending in waiting { #expect(try pending.wait() == .locked) }
        #expect(scene.waitUntil { scene.service.isIdle })
    }

    @Test("paths on a drive that is gone take no thread from reads, and more than there is room for lock everything")
    func hangingLookups() throws {
        let (scene, place) = (Scene(lookupTimeout: .seconds(600), watchesFiles: false), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        let gates = [Gate(), Gate()]
        var locks: [Pending] = []
        for (index, gate) in gates.enumerated() {
            scene.before(.realPath) { gate.pass() }
            locks.append(scene.begin(.lock(path: "/gone/\(index)")))
            gate.waitForArrival()
        }
        // Some of what hangs already, and some of what nobody can look up before.
        for index in 0..<62 { locks.append(scene.begin(.lock(path: "/gone/\(index / 8)"))) }
        #expect(try scene.ask(.value(path: place.path, name: "x")) == .value(generation: 1, list: nil))
        #expect(locks.allSatisfy { $0.now == nil })
        #expect(scene.begin(.lock(path: "/gone/0")).now == .done)
        #expect(scene.status == [])
        for gate in gates { gate.open() }
        for lock in locks { #expect(try lock.wait() == .done) }
        #expect(scene.waitUntil { scene.service.isIdle })
        // There is room again.
        #expect(try scene.ask(.lock(path: "/gone/0")) == .done)
    }

    @Test("a lock by a path on a drive that is gone is answered in time, and locks everything")
    func hangingLookup() throws {
        let (scene, place, gate) = (Scene(watchesFiles: false), try TemporaryVault(), Gate())
        #expect(try scene.unlock(place) == .done)
        scene.before(.realPath) { gate.pass() }
        let lock = scene.begin(.lock(path: "/gone/x"))
        gate.waitForArrival()
        #expect(try lock.wait() == .done)
        #expect(scene.status == [])
        #expect(!scene.service.isIdle)
        gate.open()
        #expect(scene.waitUntil { scene.service.isIdle })
    }

    @Test("a key and a value for which there is no room are not kept")
    func refused() throws {
        let (scene, place) = (Scene(watchesFiles: false, readers: 1), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        scene.clock.advance(by: .seconds(1))
        let gates = [Gate(), Gate()]
        scene.before(.open) { gates[0].pass() }
        let read = scene.begin(.value(path: place.path, name: "x"))
        gates[0].waitForArrival()
        let reads = (0..<1_024).map { _ in scene.begin(.value(path: place.path, name: "x")) }
        let epoch = try scene.epoch(place.path)
        #expect(try scene.unlock(place.path, [UInt8](repeating: 7, count: 32), epoch: epoch) == .failure(.busy))
        scene.before(.tryLock) { gates[1].pass() }
        let change = try scene.beginChange(place.path, [.set("a", "b")])
        gates[1].waitForArrival()
        let changes = try (0..<256).map { _ in try scene.beginChange(place.path, []) }
        #expect(try scene.change(place, .set("a", "c")) == .failure(.busy))
        for gate in gates { gate.open() }
        for pending in [read, change] + reads + changes { _ = try pending.wait() }
        // Nothing waits any more, and nothing that was refused is left.
        #expect(scene.waitUntil { scene.service.isIdle })
    }

    @Test("a vault on a drive that hangs holds up nobody who asks for another: reads, unlocks, locks and changes")
    func hangingDrive() throws {
        let (scene, gate) = (Scene(watchesFiles: false), Gate())
        let (gone, other) = (try TemporaryVault(), try TemporaryVault())
        #expect(try scene.unlock(gone) == .done)
        scene.clock.advance(by: .seconds(1))
        scene.before(.open) { gate.pass() }
        let hangs = scene.begin(.value(path: gone.path, name: "x"))
        gate.waitForArrival()
        #expect(try scene.unlock(other) == .done)
        #expect(try scene.change(other, .set("a", "b")) == .changed(generation: 2, before: [nil]))
        #expect(try scene.text(other, "a") == "b")
        #expect(hangs.now == nil)
        #expect(try scene.ask(.lock(path: other.path)) == .done)
        // The other one alone: where its path leads to was looked up at once.
        #expect(scene.status.count == 1)
        gate.open()
        #expect(try hangs.wait() == .value(generation: 1, list: nil))
    }

    @Test("many threads ask at once, and each is answered once")
    func many() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        let answered = Atomic(0)
        let threads = (0..<4).map { number in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for index in 0..<25 {
                    let isChange = (index + number) % 5 == 0
                    let answer =
                        isChange
                        ? try? scene.change(place, .set("\(number)-\(index)", "x"))
                        : try? scene.ask(.value(path: place.path, name: "\(number)-\(index)"))
                    switch answer {
                    case .changed, .value: answered.add(1, ordering: .relaxed)
                    default: break
                    }
                }
                done.signal()
            }
            return done
        }
        for thread in threads { #expect(thread.wait(timeout: .now() + 120) == .success) }
        #expect(answered.load(ordering: .relaxed) == 100)
        #expect(try place.unlocked().names().count == 20)
    }
}
