import Coffer
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultFile

extension Vault {
    /// Unlocks with the passphrase of all throw-away vaults.
    func open(accepting: Bool = false) throws {
        try unlock(Secret.text(TemporaryVault.passphrase), acceptingUnexpectedFile: accepting)
    }

    func addOne() throws {
        try update { draft in draft.set(.retries, to: try draft.get(.retries) + 1) }
    }
}

/// What a handle remembers of files that it and other processes saw.
@Suite struct FreshnessTests {
    /// A vault that was seen with two saves, and the bytes of each.
    private struct Saved {
        let place: TemporaryVault
        let bytes: [[UInt8]]

        init() throws {
            place = try TemporaryVault()
            let vault = place.remembering()
            try vault.open()
            let first = try place.bytes()
            try vault.addOne()
            bytes = [first, try place.bytes()]
        }
    }

    @Test("an old file that was put back is noticed by every later handle, until it is accepted")
    func rolledBack() throws {
        let saved = try Saved()
        let place = saved.place
        try place.write(saved.bytes[0])
        let vault = place.remembering()
        for _ in 0..<2 {
            #expect(throws: VaultError.rolledBack(generation: 1, newest: 2)) { try vault.open() }
            #expect(!vault.isUnlocked)
        }
        try vault.open(accepting: true)
        try vault.addOne()
        try vault.addOne()
        let next = place.remembering()
        try next.open()
        #expect(try next[.retries] == 5)
        #expect(vault.warnings == [.weakKeyDerivation(passes: 1, memoryKiB: 8_192)])
    }

    @Test("the async form notices and accepts as well")
    func async() async throws {
        let saved = try Saved()
        try saved.place.write(saved.bytes[0])
        let vault = saved.place.remembering()
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        await #expect(throws: VaultError.rolledBack(generation: 1, newest: 2)) { try await vault.unlock(passphrase) }
        try await vault.unlock(passphrase, acceptingUnexpectedFile: true)
        try saved.place.remembering().open()
    }

    @Test("a handle that is not asked to remember writes nothing and notices nothing at an unlock")
    func thisProcess() throws {
        let place = try TemporaryVault()
        let old = try place.bytes()
        try place.unlocked().addOne()
        try place.write(old)
        _ = try place.unlocked()
        #expect(!FileManager.default.fileExists(atPath: place.stateDirectory.path))
        #expect(FreshnessPolicy.thisProcess != .remembered)
    }

    @Test("two saves of one generation are told apart")
    func forked() throws {
        let saved = try Saved()
        let place = saved.place
        try place.write(saved.bytes[0])
        // Another machine, which knows nothing of this one's save.
        try place.unlocked().addOne()
        let vault = place.remembering()
        #expect(throws: VaultError.forked(generation: 2)) { try vault.open() }
        try vault.open(accepting: true)
        try place.remembering().open()
        try place.write(saved.bytes[1])
        #expect(throws: VaultError.forked(generation: 2)) { try place.remembering().open() }
    }

    @Test("another vault at a known path is told, however the path is spelled; a new one is made there on purpose")
    func replaced() throws {
        let saved = try Saved()
        let place = saved.place
        let link = place.directory.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "test.coffer")
        try place.write(try TemporaryVault().bytes())
        for path in [place.path, link, place.directory.path + "/./../" + place.directory.lastPathComponent + "/link"] {
            #expect(throws: VaultError.replaced) { try place.remembering(at: path).open() }
        }
        try place.remembering().open(accepting: true)
        try place.remembering(at: link).open()
        try place.write(saved.bytes[1])
        #expect(throws: VaultError.replaced) { try place.remembering().open() }

        try FileManager.default.removeItem(atPath: place.path)
        let new = place.remembering()
        try new.create(passphrase: Secret.text(TemporaryVault.passphrase), derivation: TemporaryVault.cheap)
        try new.addOne()
        try place.remembering().open()
    }

    @Test("a copy with a key that was replaced is old, however often it was saved since")
    func replacedKey() throws {
        let saved = try Saved()
        let place = saved.place
        let vault = place.remembering()
        try vault.open()
        try vault.changePassphrase(to: Secret.text("another passphrase"), derivation: TemporaryVault.cheap)
        try place.write(saved.bytes[1])
        let thief = try place.unlocked()
        for _ in 0..<5 { try thief.addOne() }
        #expect(throws: VaultError.rolledBack(generation: 7, newest: 3)) { try place.remembering().open() }
    }

    @Test("an older copy elsewhere is noticed, and one look at it does not hide the newer one")
    func copy() throws {
        let saved = try Saved()
        let place = saved.place
        let backup = place.directory.appendingPathComponent("backup.coffer").path
        try Data(saved.bytes[0]).write(to: URL(fileURLWithPath: backup))
        #expect(throws: VaultError.rolledBack(generation: 1, newest: 2)) { try place.remembering(at: backup).open() }
        try place.remembering(at: backup).open(accepting: true)
        try place.remembering().open()
        #expect(throws: VaultError.rolledBack(generation: 1, newest: 2)) { try place.remembering(at: backup).open() }
    }

    @Test("updates, changes of passphrase and reloads heed what other processes saw, also of an unchanged file")
    func laterChecks() throws {
        let saved = try Saved()
        let place = saved.place
        let (vault, other) = (place.remembering(), place.remembering())
        try vault.open()
        try other.open()
        try other.addOne()
        try place.write(saved.bytes[1])
        let error = VaultError.rolledBack(generation: 2, newest: 3)
        #expect(throws: error) { try vault.addOne() }
        #expect(throws: error) {
            try vault.changePassphrase(to: Secret.text("another passphrase"), derivation: TemporaryVault.cheap)
        }
        #expect(try place.bytes() == saved.bytes[1])
        // What is in memory was good when it was read.
        #expect(try vault[.retries] == 4)
        vault.dropCopy()
        #expect(throws: error) { try vault[.retries] }
        try vault.open(accepting: true)
        #expect(try vault[.retries] == 4)
        // The handle that saw the newer save itself goes on noticing.
        #expect(throws: error) { try other.addOne() }
        try vault.addOne()
        #expect(throws: VaultError.forked(generation: 3)) { try other.addOne() }
        other.lock()
        try other.open()
        try other.addOne()
    }

    @Test("a save between any two system calls of an unlock or a reload raises no alarm")
    func races() throws {
        let saved = try Saved()
        let place = saved.place
        let other = place.remembering()
        try other.open()
        var index = 1
        var isDone = false
        while !isDone {
            let counter = CallCounter(index) { try? other.addOne() }
            let vault = place.remembering(system: FaultingSystemCalls(before: { _ in counter.call() }))
            try vault.open()
            vault.dropCopy()
            _ = try vault[.retries]
            isDone = !counter.wasReached
            index += 1
        }
        #expect(index > 15)
        #expect(place.remembered().newestGeneration(of: try vaultID(of: place)) == UInt64(index))
    }

    @Test("a vault that is made anew between any two system calls of an unlock raises no alarm")
    func newVaultMeanwhile() throws {
        let saved = try Saved()
        let place = saved.place
        var index = 1
        var isDone = false
        while !isDone {
            let counter = CallCounter(index) {
                try? FileManager.default.removeItem(atPath: place.path)
                let other = place.remembering()
                try? other.create(passphrase: Secret.text(TemporaryVault.passphrase), derivation: TemporaryVault.cheap)
                try? other.addOne()
            }
            try place.remembering(system: FaultingSystemCalls(before: { _ in counter.call() })).open()
            try place.remembering().open()
            isDone = !counter.wasReached
            index += 1
        }
        #expect(index > 8)
    }

    private func vaultID(of place: TemporaryVault) throws -> [UInt8] {
        let bytes = try place.bytes()
        let header = try VaultHeader(bytes.rawSpan)
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: header.keyDerivation)
        return try SealedVault.open(bytes.rawSpan, header: header, key: key).vaultID
    }

    @Test("threads that open and save at once raise no alarm, and the newest save is remembered")
    func threads() async throws {
        let place = try TemporaryVault()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<4 {
                        let vault = place.remembering()
                        try vault.open()
                        try vault.addOne()
                        #expect(vault.warnings == [.weakKeyDerivation(passes: 1, memoryKiB: 8_192)])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try place.unlocked()[.retries] == 3 + 32)
        #expect(place.remembered().newestGeneration(of: try vaultID(of: place)) == 33)
        #expect(place.remembered().counts == (1, 1))
    }

    @Test("state that is lost or damaged says nothing, and is made anew")
    func lostState() throws {
        let saved = try Saved()
        let place = saved.place
        let file = place.stateDirectory.appendingPathComponent("coffer/freshness")
        let losses: [() throws -> Void] = [
            { try FileManager.default.removeItem(at: place.stateDirectory) },
            { try FileManager.default.removeItem(at: file) },
            { try Data().write(to: file) },
            { try Data("garbage".utf8).write(to: file) },
        ]
        for lose in losses {
            try place.write(saved.bytes[1])
            try place.remembering().open()
            try lose()
            try place.write(saved.bytes[0])
            let vault = place.remembering()
            try vault.open()
            #expect(vault.warnings == [.weakKeyDerivation(passes: 1, memoryKiB: 8_192)])
            #expect(place.remembered().counts == (1, 1))
        }
    }

    @Test("state that cannot be written stops nothing, and is told")
    func unwritableState() throws {
        let place = try TemporaryVault()
        let file = place.stateDirectory.path + "/coffer/freshness"
        try Data().write(to: place.stateDirectory)
        let warning = VaultWarning.freshnessNotRemembered(errno: ENOTDIR, path: file)
        let vault = place.remembering()
        try vault.open()
        #expect(vault.warnings.contains(warning))
        try vault.addOne()
        #expect(vault.warnings.contains(warning))
        vault.dropCopy()
        _ = try vault[.retries]
        #expect(vault.warnings.contains(warning))
        try vault.changePassphrase(to: Secret.text("another passphrase"), derivation: TemporaryVault.cheap)
        #expect(vault.warnings.contains(warning))
        let empty = try TemporaryVault(create: false)
        let new = empty.remembering(state: place.stateDirectory)
        try new.create(passphrase: Secret.text(TemporaryVault.passphrase), derivation: TemporaryVault.cheap)
        #expect(new.warnings.contains(warning))

        var homeless = VaultSurroundings()
        homeless.stateDirectory = { nil }
        let other = Vault(at: .file(empty.path), freshness: .remembered, surroundings: homeless)
        try other.open()
        #expect(other.warnings.contains(.freshnessNotRemembered(errno: 0, path: "~")))
    }

    @Test("a file that was accepted and could not be written down is good for the handle that accepted it")
    func acceptedWithoutState() throws {
        let saved = try Saved()
        let place = saved.place
        let lock = place.stateDirectory.appendingPathComponent("coffer/.freshness.lock")
        try FileManager.default.removeItem(at: lock)
        try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
        try place.write(saved.bytes[0])
        let vault = place.remembering()
        try vault.open(accepting: true)
        let told = vault.warnings.contains { if case .freshnessNotRemembered = $0 { true } else { false } }
        #expect(told)
        try vault.addOne()
        vault.dropCopy()
        #expect(try vault[.retries] == 4)
        #expect(throws: VaultError.forked(generation: 2)) { try place.remembering().open() }
        // Once it can be written, what this handle saves is what it goes on from.
        try FileManager.default.removeItem(at: lock)
        try vault.addOne()
        try place.remembering().open()
        #expect(place.remembered().newestGeneration(of: try vaultID(of: place)) == 3)
    }

    @Test("a full disk for the state, met at any system call, stops no save of the vault")
    func fullDisk() throws {
        let place = try TemporaryVault()
        let full = FaultingSystemCalls(.fails(ENOSPC), of: [.makeDirectory])
        let vault = place.remembering(system: full)
        try vault.open()
        try vault.addOne()
        let file = place.stateDirectory.path + "/coffer/freshness"
        #expect(vault.warnings.contains(.freshnessNotRemembered(errno: ENOSPC, path: file)))
        #expect(try place.unlocked()[.retries] == 4)

        // The second file that a save writes is the state.
        try place.remembering().open()
        let second = place.remembering(system: FaultingSystemCalls(.fails(ENOSPC), at: 2, of: [.write]))
        try second.open()
        try second.addOne()
        #expect(second.warnings.contains(.freshnessNotRemembered(errno: ENOSPC, path: file)))
        #expect(try place.unlocked()[.retries] == 5)
        #expect(place.remembered().newestGeneration(of: try vaultID(of: place)) == 2)
    }

    @Test("a save that a power cut may undo is not remembered before it is seen again")
    func notSynced() throws {
        let place = try TemporaryVault()
        try place.remembering().open()
        let old = try place.bytes()
        let vault = place.remembering(system: FaultingSystemCalls(.fails(EIO), at: 2, of: [.synchronize]))
        try vault.open()
        #expect(throws: VaultError.savedButNotSynced(errno: EIO, path: place.path)) { try vault.addOne() }
        try place.write(old)
        try place.remembering().open()
    }

    @Test("a directory whose name is no text is remembered as it is")
    func odd() throws {
        let place = try TemporaryVault()
        let odd = Array((place.directory.path + "/").utf8) + [0xFF, 0xC3, 0x28, 0]
        let made = unsafe odd.withUnsafeBufferPointer { name in
            unsafe name.withMemoryRebound(to: CChar.self) { name in unsafe mkdir(name.baseAddress!, 0o700) }
        }
        try #require(made == 0)
        let link = place.directory.path + "/text"
        let linked = unsafe odd.withUnsafeBufferPointer { name in
            unsafe name.withMemoryRebound(to: CChar.self) { name in unsafe symlink(name.baseAddress!, link) }
        }
        try #require(linked == 0)
        let path = link + "/a.coffer"
        try place.remembering(at: path).create(
            passphrase: Secret.text(TemporaryVault.passphrase), derivation: TemporaryVault.cheap)
        try place.remembering(at: path).open()
        let other = try TemporaryVault().bytes()
        try Data(other).write(to: URL(fileURLWithPath: path))
        #expect(throws: VaultError.replaced) { try place.remembering(at: path).open() }
    }
}

/// Does something once, before a call of a number.
private final class CallCounter: Sendable {
    private let left: Counter
    private let action: @Sendable () -> Void

    init(_ index: Int, _ action: @escaping @Sendable () -> Void) {
        left = Counter(index)
        self.action = action
    }

    var wasReached: Bool { left.value <= 0 }

    func call() { if left.decrement() == 0 { action() } }
}

private final class Counter: Sendable {
    private let number: Mutex<Int>

    init(_ number: Int) { self.number = Mutex(number) }

    var value: Int { number.withLock { $0 } }

    func decrement() -> Int {
        number.withLock { number in
            number -= 1
            return number
        }
    }
}
