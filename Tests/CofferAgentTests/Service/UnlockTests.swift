import Coffer
import CofferAgent
import Foundation
import SecureMemory
import TestSupport
import Testing

@Suite struct UnlockTests {
    @Test("a key that the file proves opens the vault for reads, and no reply of all carries it")
    func unlock() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let secret = try place.handle().deriveKey(Secret.text(TemporaryVault.passphrase))
        let key = secret.withBytes { $0.array }
        let path = place.path
        #expect(try scene.ask(.value(path: path, name: "password")) == .locked)
        let epoch = try scene.epoch(path)
        var answers = [try scene.unlock(path, key, epoch: epoch)]
        #expect(answers == [.done])
        #expect(scene.service.heldCount == 1)
        answers += [
            try scene.change(place, .set("password", "hunter2")), try scene.ask(.value(path: path, name: "password")),
            try scene.ask(.list(path: path, after: nil)), try scene.ask(.details(path: path)), try scene.ask(.status),
            try scene.ask(.hello(version: AgentProtocol.version)), try scene.ask(.lock(path: nil)),
        ]
        #expect(answers[2].text == "hunter2")
        for answer in answers { #expect(!"\(answer)".contains(key.map { "\($0)" }.joined(separator: ", "))) }
        for case .value(_, let list?) in answers { #expect(list.firstRange(of: key) == nil) }
        #expect(try scene.ask(.value(path: path, name: "password")) == .locked)
    }

    @Test("a wrong key is refused as a wrong passphrase, and nothing is held")
    func wrongKey() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let epoch = try scene.epoch(place.path)
        let wrong = [UInt8](repeating: 7, count: 32)
        #expect(try scene.unlock(place.path, wrong, epoch: epoch) == .failure(.vault(.wrongPassphrase)))
        #expect(scene.service.heldCount == 0)
        #expect(scene.status == [])
        // One that is held stays so.
        #expect(try scene.unlock(place) == .done)
        #expect(try scene.unlock(place.path, wrong, epoch: epoch) == .failure(.vault(.wrongPassphrase)))
        #expect(scene.service.heldCount == 1)
        let short = try scene.unlock(place.path, [1, 2, 3], epoch: epoch)
        #expect(short == .failure(.vault(.refused(reason: "the key of a vault has 32 bytes"))))
    }

    @Test("a lock during a derivation wins: of the vault, by any spelling, or of all", arguments: 0..<4)
    func lockWins(kind: Int) throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let link = "\(place.directory.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "test.coffer")
        let epoch = try scene.epoch(place.path)
        switch kind {
        case 0: #expect(try scene.ask(.lock(path: place.path)) == .done)
        case 1: #expect(try scene.ask(.lock(path: link)) == .done)
        case 2: #expect(try scene.ask(.lock(path: nil)) == .done)
        default: scene.service.lockAll()
        }
        #expect(try scene.unlock(place, epoch: epoch) == .failure(.staleEpoch))
        #expect(scene.service.heldCount == 0)
        #expect(try scene.unlock(place) == .done)
    }

    @Test("a lock of another vault does not hinder an unlock")
    func otherLock() throws {
        let (scene, place, other) = (Scene(), try TemporaryVault(), try TemporaryVault())
        let epoch = try scene.epoch(place.path)
        #expect(try scene.ask(.lock(path: other.path)) == .done)
        #expect(try scene.unlock(place, epoch: epoch) == .done)
    }

    @Test("a lock while the key is proved wins", arguments: [true, false])
    func lockDuringProof(ofAll: Bool) throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        // So that the path is known, and the lock at once.
        #expect(try scene.unlock(place) == .done)
        let epoch = try scene.epoch(place.path)
        let path = place.path
        scene.before(.read) { _ = scene.begin(.lock(path: ofAll ? nil : path)) }
        #expect(try scene.unlock(place, epoch: epoch) == .failure(.staleEpoch))
        #expect(scene.service.heldCount == 0)
    }

    @Test("an epoch of the future, or of another agent, is refused")
    func foreignEpoch() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let other = try Scene().epoch(place.path)
        for epoch in [0, try scene.epoch(place.path) + 1, UInt64.max, other] {
            #expect(try scene.unlock(place, epoch: epoch) == .failure(.staleEpoch))
        }
    }

    @Test("the locks of so many vaults are remembered apart; before them, an unlock has to begin anew")
    func manyLocks() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let epoch = try scene.epoch(place.path)
        let locks = { (range: Range<Int>) throws in
            for number in range { #expect(try scene.ask(.lock(path: "/none/\(number)")) == .done) }
        }
        try locks(0..<256)
        #expect(try scene.unlock(place, epoch: epoch) == .done)
        try locks(256..<257)
        #expect(try scene.unlock(place, epoch: epoch) == .failure(.staleEpoch))
        #expect(try scene.unlock(place) == .done)
    }

    @Test("a sleep of the machine counts as a lock, also of what is being derived")
    func sleep() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let epoch = try scene.epoch(place.path)
        scene.clock.sleep(for: .milliseconds(900))
        #expect(try scene.unlock(place, epoch: epoch) == .done)
        scene.clock.sleep(for: .seconds(5))
        #expect(scene.status == [])
        #expect(try scene.ask(.value(path: place.path, name: "x")) == .locked)
        #expect(try scene.unlock(place, epoch: epoch) == .failure(.staleEpoch))
        #expect(try scene.unlock(place) == .done)
    }

    @Test("a second unlock replaces the first, and carries nothing over")
    func again() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place, idle: .seconds(10), maximumAge: .seconds(20)) == .done)
        #expect(scene.status.map(\.maximumLeft) == [.seconds(20)])
        #expect(try scene.unlock(place) == .done)
        #expect(scene.status.count == 1)
        #expect(scene.status.first?.idleLeft == nil && scene.status.first?.maximumLeft == nil)
        scene.clock.advance(by: .seconds(100_000))
        #expect(try scene.ask(.value(path: place.path, name: "x")) == .value(generation: 1, list: nil))
        #expect(try scene.unlock(place, idle: .seconds(10)) == .done)
        scene.clock.advance(by: .seconds(10))
        #expect(try scene.ask(.value(path: place.path, name: "x")) == .locked)
    }

    @Test("no more vaults are held than there may be, and one that is locked makes room")
    func bounded() throws {
        let scene = Scene()
        // The same file in many places has the same key.
        let place = try TemporaryVault()
        let secret = try place.handle().deriveKey(Secret.text(TemporaryVault.passphrase))
        let (key, bytes) = (secret.withBytes { $0.array }, try place.bytes())
        let most = 32
        let paths = (0...most).map { "\(place.directory.path)/\($0).coffer" }
        for path in paths { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
        let epoch = try scene.epoch(place.path)
        for path in paths.dropLast() { #expect(try scene.unlock(path, key, epoch: epoch) == .done) }
        let full = VaultError.limitExceeded(field: "unlocked vaults", value: 33, bound: 32)
        #expect(try scene.unlock(paths[most], key, epoch: epoch) == .failure(.vault(full)))
        #expect(try scene.unlock(paths[0], key, epoch: epoch) == .done)
        #expect(try scene.ask(.lock(path: paths[1])) == .done)
        #expect(try scene.unlock(paths[most], key, epoch: epoch) == .done)
        #expect(scene.service.heldCount == most)
    }

    @Test("a path that is not absolute, or no path, is refused by every request")
    func paths() throws {
        let scene = Scene()
        for path in ["", "x.coffer", "/a\u{0}b", "/" + String(repeating: "a", count: 4_096)] {
            let refused = try scene.ask(.epoch(path: path))
            #expect(refused == .failure(.vault(.refused(reason: "a vault is named to the agent by an absolute path"))))
            #expect(try scene.unlock(path, [], epoch: 0) == refused)
            #expect(try scene.ask(.lock(path: path)) == refused)
            #expect(try scene.ask(.value(path: path, name: "x")) == refused)
            #expect(try scene.ask(.list(path: path, after: nil)) == refused)
            #expect(try scene.ask(.details(path: path)) == refused)
            #expect(try scene.beginChange(path, []).wait() == refused)
        }
    }

    @Test("another version is told, and after the end nothing is held")
    func ends() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.ask(.hello(version: 7)) == .failure(.version(AgentProtocol.version)))
        #expect(try scene.unlock(place) == .done)
        #expect(try scene.ask(.stop) == .done)
        #expect(scene.service.heldCount == 0)
        #expect(try scene.unlock(place) == .failure(.staleEpoch))
        scene.service.stop()
        #expect(scene.service.isIdle)
    }
}
