import Coffer
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultFile

@Suite struct LockingTests {
    @Test("a read inside a read works, and so does a lock inside a read")
    func leases() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.set(.password, "hunter2")
        let secret = try Secret.text("ann")
        try vault.update { draft in draft.set(SecretKey("user"), to: secret) }
        try vault.withBytes(of: .password) { outer in
            try vault.withBytes(of: SecretKey("user")) { inner in #expect(inner.array == Array("ann".utf8)) }
            #expect(try vault[.retries] == 3)
            vault.lock()
            // The lease lets this read end; new ones are refused at once.
            #expect(throws: VaultError.locked) { try vault.text(of: .password) }
            #expect(outer.array == Array("hunter2".utf8))
        }
        #expect(!vault.isUnlocked)
    }

    @Test("a lock during a save lets the save stand, and leaves the vault locked")
    func lockDuringSave() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try vault.update { draft in
            draft.set(.username, to: "ann")
            vault.lock()
        }
        #expect(!vault.isUnlocked)
        #expect(throws: VaultError.locked) { _ = try vault[.username] }
        #expect(try place.unlocked()[.username] == "ann")
    }

    @Test("a lock during an unlock wins, in both forms")
    func lockWins() async throws {
        let (vault, between) = try Self.interrupted(TemporaryVault())
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        // The file has been read when its descriptor is closed; the key is not derived yet.
        between.next { vault.lock() }
        #expect(throws: VaultError.locked) { try vault.unlock(passphrase) }
        #expect(between.isDone)
        #expect(!vault.isUnlocked)
        between.next { vault.lock() }
        await #expect(throws: VaultError.locked) { try await vault.unlock(Secret.text(TemporaryVault.passphrase)) }
        #expect(!vault.isUnlocked)
        try await vault.unlock(passphrase)
        #expect(vault.isUnlocked)
    }

    /// A vault whose next close of a descriptor can be interrupted.
    private static func interrupted(_ place: TemporaryVault) throws -> (Vault, Between) {
        let between = Between()
        let system = FaultingSystemCalls(before: { call in if call == .close { between.run() } })
        return (Vault(at: .file(place.path), surroundings: .init(system: system)), between)
    }

    @Test("both forms of unlock give the same errors")
    func asyncErrors() async throws {
        let vault = try TemporaryVault().handle()
        await #expect(throws: VaultError.wrongPassphrase) { try await vault.unlock(Secret.text("wrong")) }
        await #expect(throws: VaultError.refused(reason: "the passphrase is empty")) {
            try await vault.unlock(Secret.text(""))
        }
        let none = try TemporaryVault(create: false)
        await #expect(throws: VaultError.noVault(path: none.path)) {
            try await none.handle().unlock(Secret.text("x"))
        }
    }

    @Test("a changed passphrase opens the vault, and the old one does not")
    func passphrase() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let other = try place.unlocked()
        try vault.set(.password, "secret")
        let salt = try vault.inspect().salt
        let change = try vault.changePassphrase(to: Secret.text("a new passphrase"), derivation: TemporaryVault.cheap)
        let counts: [Int] = [change.remadeSlots, change.droppedSlots, change.droppedRecipients]
        #expect(counts == [0, 0, 0])
        #expect(try vault.inspect().salt != salt)
        #expect(try vault.text(of: .password) == "secret")
        try vault.set(.password, "newer")

        // A handle with the old key overwrites nothing.
        let bytes = try place.bytes()
        #expect(throws: VaultError.conflict) { try other.set(.password, "lost?") }
        other.dropCopy()
        #expect(throws: VaultError.conflict) { try other.text(of: .password) }
        #expect(try place.bytes() == bytes)

        let fresh = place.handle()
        #expect(throws: VaultError.wrongPassphrase) { try fresh.unlock(Secret.text(TemporaryVault.passphrase)) }
        try fresh.unlock(Secret.text("a new passphrase"))
        #expect(try fresh.text(of: .password) == "newer")
    }

    @Test("a change of cost is bound by the write policy, and raises what is too weak")
    func cost() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        #expect(throws: VaultError.limitExceeded(field: "mem", value: 8_192, bound: 65_536)) {
            try vault.changePassphrase(to: Secret.text("x"), cost: .init(passes: 3, memoryKiB: 8_192))
        }
        try vault.changePassphrase(
            to: Secret.text(TemporaryVault.passphrase), cost: .init(passes: 3, memoryKiB: 65_536))
        #expect(try vault.inspect().cost == KeyDerivationCost(passes: 3, memoryKiB: 65_536))
        #expect(vault.warnings == [])
        // An ordinary save keeps the cost, and so does a change of passphrase alone.
        try vault.set(.password, "secret")
        try vault.changePassphrase(to: Secret.text("another one"))
        #expect(try vault.inspect().cost == KeyDerivationCost(passes: 3, memoryKiB: 65_536))
    }

    @Test("an unlock does not put back what is older than a save that was made meanwhile")
    func slowUnlock() throws {
        let (vault, between) = try Self.interrupted(TemporaryVault())
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        try vault.unlock(passphrase)
        between.next { try? vault.set(.password, "newer") }
        try vault.unlock(passphrase)
        #expect(between.isDone)
        #expect(try vault.text(of: .password) == "newer")
        try vault.set(.password, "newest")
        #expect(try vault.text(of: .password) == "newest")
    }

    @Test("a lock and an unlock inside an update do not bring back what was before it")
    func relocked() throws {
        let vault = try TemporaryVault().unlocked()
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        try vault.update { (draft: inout Draft) throws in
            draft.set(.retries, to: 7)
            vault.lock()
            try vault.unlock(passphrase)
            #expect(try vault[.retries] == 3)
        }
        #expect(try vault[.retries] == 7)
    }

    @Test("a save that began before a lock, and ended in the middle of the next unlock, is not hidden by it")
    func saveDuringUnlock() throws {
        let (vault, between) = try Self.interrupted(TemporaryVault())
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        let (hasRead, hasSaved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasUnlocked = DispatchSemaphore(value: 0)
        try vault.update { (draft: inout Draft) throws in
            draft.set(.retries, to: 7)
            vault.lock()
            between.next {
                hasRead.signal()
                hasSaved.wait()
            }
            // A thread of its own: those of tasks may all be waiting in tests like this one.
            Thread.detachNewThread {
                if let passphrase = try? Secret.text(TemporaryVault.passphrase) { try? vault.unlock(passphrase) }
                hasUnlocked.signal()
            }
            hasRead.wait()
        }
        hasSaved.signal()
        hasUnlocked.wait()
        #expect(vault.isUnlocked)
        #expect(try vault[.retries] == 7)
    }

    @Test("a read that decrypts the file again does not put back what is older than a save in between")
    func saveDuringReload() throws {
        let (vault, between) = try Self.interrupted(TemporaryVault())
        try vault.unlock(Secret.text(TemporaryVault.passphrase))
        vault.dropCopy()
        // The file has been read when its descriptor is closed, and is not decrypted yet.
        between.next { try? vault.update { draft in draft.set(.retries, to: 8) } }
        #expect(try vault[.retries] == 8)
        #expect(between.isDone)
        vault.dropCopy()
        between.next { vault.lock() }
        #expect(throws: VaultError.locked) { try vault[.retries] }
        #expect(!vault.isUnlocked)
    }

    /// Something to do once, in the middle of something else.
    private final class Between: Sendable {
        private let body = Mutex<(@Sendable () -> Void)?>(nil)

        func next(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }
        func run() { body.withLock { $0.take() }?() }
        var isDone: Bool { body.withLock { $0 == nil } }
    }

    @Test("a secret from before a fork is refused in the child, not taken for zeros")
    func secretOfParent() throws {
        let place = try TemporaryVault(create: false)
        let secret = try Secret.text(TemporaryVault.passphrase)
        let status = try Child.status {
            let vault = place.handle()
            do {
                try vault.create(passphrase: secret, derivation: TemporaryVault.cheap)
                return 1
            } catch VaultError.refused(let reason) {
                return reason.contains("fork") ? 0 : 2
            } catch { return 3 }
        }
        #expect(status == 0)
        #expect(try place.files() == [])
    }

    @Test("a fork inside an update saves nothing in the child")
    func forkInUpdate() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let before = try place.bytes()
        try vault.update { (draft: inout Draft) throws in
            draft.set(.retries, to: 9)
            let status = try Child.status { vault.isUnlocked ? 1 : (try? vault[.retries]) == nil ? 0 : 2 }
            #expect(status == 0)
            #expect(try place.bytes() == before)
        }
        #expect(try place.unlocked()[.retries] == 9)
    }

    @Test("a forked child finds the vault locked, and frees nothing of its parent's")
    func fork() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.set(.password, "secret")
        let secret = try vault.secret(for: .password)
        let status = try Child.status {
            if vault.isUnlocked { return 1 }
            do {
                _ = try vault[.retries]
                return 2
            } catch VaultError.locked {
            } catch { return 3 }
            // What the parent held reads as zeros, not as a fault.
            let sum = secret.withBytes { $0.array.reduce(0) { $0 | $1 } }
            if sum != 0 { return 4 }
            vault.lock()
            // The child's own guarded memory works and is freed.
            guard let own = try? GuardedBuffer(randomCount: 64) else { return 5 }
            return own.isForeign ? 6 : 0
        }
        #expect(status == 0)
        #expect(try vault.text(of: .password) == "secret")
    }
}
