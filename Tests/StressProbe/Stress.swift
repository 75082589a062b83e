internal import Coffer
internal import Foundation
internal import SecureMemory
internal import VaultFile

/// One vault, one cache, and what must be true of them whatever the threads do.
final class Stress: Sendable {
    private struct Tally {
        var operations: [String: Int] = [:]
        var failures: [String] = []
        /// The number in the vault after the newest update that has returned.
        var committed = 0
        var increments = 0
        /// While a thread checks that the vault is locked, nobody begins an unlock.
        var unlockIsForbidden = false
        var unlocksUnderWay = 0
        var events = 0

        mutating func beginUnlock() -> Bool {
            guard !unlockIsForbidden else { return false }
            unlocksUnderWay += 1
            return true
        }

        mutating func forbidUnlock() -> Bool {
            guard !unlockIsForbidden else { return false }
            unlockIsForbidden = true
            return true
        }
    }

    private let path: String
    private let vault: Vault
    private let signal = LockSignal()
    private let cache = MemoryCache(lifetime: .milliseconds(20), maximumBytes: 65_536, maximumEntries: 64)
    private let deadline: Date
    // Not the system library's: the thread sanitizer cannot look into it, and takes it for no lock.
    private let tally = PlainMutex(Tally())
    private static let counter = SettingKey("counter", default: 0)
    private static let password = SecretKey("password")
    /// Each value of the secret is one byte many times, so that a torn one shows.
    private static let secretLength = 100

    init(at path: String, until seconds: Double) throws {
        self.path = path
        vault = Vault(
            at: .file(path), autoLock: AutoLock(idle: .milliseconds(50), triggers: [.custom(signal)]))
        deadline = Date(timeIntervalSinceNow: seconds)
        let passphrase = try Self.passphrase()
        try vault.create(passphrase: passphrase, derivation: KeyDerivation(passes: 1, memoryKiB: 8_192))
    }

    private static func passphrase() throws(VaultError) -> Secret { try Secret(copying: "stress".utf8) }

    var summary: String {
        tally.withLock { tally in
            let operations = tally.operations.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return operations.joined(separator: ", ") + ", events \(tally.events)"
        }
    }

    func observe() async {
        for await _ in vault.events() { tally.withLock { $0.events += 1 } }
    }

    /// Does one thing after another until the time is over.
    func run(_ number: Int) {
        var random = SystemRandomNumberGenerator()
        while Date() < deadline {
            do {
                try step(Int.random(in: 0..<100, using: &random), thread: number)
            } catch VaultError.locked {
                count("locked")
            } catch {
                fail("\(error)")
            }
        }
    }

    private func step(_ choice: Int, thread: Int) throws {
        switch choice {
        case 0..<45: try read()
        case 45..<55: try update(vault)
        case 55..<58: try updateByAnotherHandle()
        case 58..<75: try unlock()
        case 75..<78: try lockAndLook()
        case 78..<80: signal.fire()
        case 80..<84:
            vault.dropCopy()
            count("dropped")
        case 84..<86: _ = (vault.lockState, vault.warnings, vault.memoryProtection)
        default: try useCache("\(choice)-\(thread % 4)")
        }
    }

    private func read() throws {
        let least = tally.withLock { $0.committed }
        let found = try vault[Self.counter]
        if found < least { fail("read \(found) after \(least) was saved") }
        do {
            try vault.withBytes(of: Self.password) { bytes in
                let (first, last) = (bytes.unsafeLoadFirst, bytes.unsafeLoadLast)
                if bytes.byteCount != Self.secretLength || first != last { fail("a torn secret") }
            }
        } catch VaultError.notFound {}
        count("reads")
    }

    private func update(_ vault: Vault) throws {
        let letter = UInt8.random(in: 0x61...0x7A)
        let secret = try Secret(copying: [UInt8](repeating: letter, count: Self.secretLength))
        let number = try vault.update { draft in
            let next = try draft.get(Self.counter) + 1
            draft.set(Self.counter, to: next)
            draft.set(Self.password, to: secret)
            return next
        }
        tally.withLock { tally in
            tally.increments += 1
            if vault === self.vault { tally.committed = max(tally.committed, number) }
            tally.operations["updates", default: 0] += 1
        }
    }

    private func updateByAnotherHandle() throws {
        let other = Vault(at: .file(path))
        let passphrase = try Self.passphrase()
        try other.unlock(passphrase)
        try update(other)
    }

    private func unlock() throws {
        guard tally.withLock({ $0.beginUnlock() }) else { return }
        defer { tally.withLock { $0.unlocksUnderWay -= 1 } }
        let passphrase = try Self.passphrase()
        try vault.unlock(passphrase)
        count("unlocks")
    }

    /// Lets no unlock begin, waits for those that have begun, locks, and wants nothing to be readable then.
    private func lockAndLook() throws {
        guard tally.withLock({ $0.forbidUnlock() }) else { return }
        defer { tally.withLock { $0.unlockIsForbidden = false } }
        while tally.withLock({ $0.unlocksUnderWay }) > 0 { usleep(500) }
        vault.lock()
        for _ in 0..<20 {
            if (try? vault[Self.counter]) != nil { fail("read after lock() had returned") }
        }
        count("locks")
    }

    private func useCache(_ name: String) throws {
        let length = cache.withBytes(of: name) { bytes in
            if bytes.unsafeLoadFirst != bytes.unsafeLoadLast { fail("a torn value of the cache") }
            return bytes.byteCount
        }
        if let length, length != 64 { fail("a value of the cache has \(length) bytes") }
        let letter = UInt8.random(in: 0x61...0x7A)
        let value = try Secret(copying: [UInt8](repeating: letter, count: 64))
        try cache.set(name, to: value)
        if letter == 0x61 { cache.removeAll() }
        if letter == 0x62 { cache.remove(name) }
        count("cached")
    }

    /// Checks the sums at the end.
    func finish() -> [String] {
        do {
            let fresh = Vault(at: .file(path))
            let passphrase = try Self.passphrase()
            try fresh.unlock(passphrase)
            let (found, wanted) = (try fresh[Self.counter], tally.withLock { $0.increments })
            if found != wanted { fail("\(wanted) updates returned, and \(found) are in the file") }
        } catch {
            fail("at the end: \(error)")
        }
        return tally.withLock { $0.failures }
    }

    private func count(_ operation: String) { tally.withLock { $0.operations[operation, default: 0] += 1 } }
    private func fail(_ message: String) { tally.withLock { $0.failures.append(message) } }
}

extension RawSpan {
    fileprivate var unsafeLoadFirst: UInt8 { unsafe unsafeLoad(fromByteOffset: 0, as: UInt8.self) }
    fileprivate var unsafeLoadLast: UInt8 { unsafe unsafeLoad(fromByteOffset: byteCount - 1, as: UInt8.self) }
}
