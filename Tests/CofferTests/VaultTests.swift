import Coffer
import Foundation
import TestSupport
import Testing
import VaultFile

extension SettingKey<String> { static let username = SettingKey("username", default: "anonymous") }
extension SettingKey<Int> { static let retries = SettingKey("retries", default: 3) }
extension SettingKey<Bool> { static let enabled = SettingKey("enabled", default: true) }
extension SettingKey<Double> { static let timeout = SettingKey("timeout", default: 2.5) }
extension SecretKey { static let password = SecretKey("password") }

extension Vault {
    /// A secret's bytes as text, which only a test may make of them.
    func text(of key: SecretKey) throws -> String {
        try withBytes(of: key) { String(decoding: $0.array, as: UTF8.self) }
    }

    func set(_ key: SecretKey, _ text: String) throws {
        let secret = try Secret.text(text)
        try update { draft in draft.set(key, to: secret) }
    }
}

@Suite struct VaultTests {
    @Test("what is stored comes back in another handle, with its type")
    func roundTrip() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let secret = try Secret.text("p\u{E4}ss \u{1F511}")
        try vault.update { draft in
            draft.set(.username, to: "ann")
            draft.set(.retries, to: try draft.get(.retries) + 1)
            draft.set(.enabled, to: false)
            draft.set(.timeout, to: -0.0)
            draft.set(.password, to: secret)
        }
        let other = try place.unlocked()
        #expect(try other[.username] == "ann")
        #expect(try other[.retries] == 4)
        #expect(try other[.enabled] == false)
        #expect(try other[.timeout].sign == .minus)
        #expect(try other.text(of: .password) == "p\u{E4}ss \u{1F511}")
        #expect(try other.names() == ["enabled", "password", "retries", "timeout", "username"])
    }

    @Test("absent gives the default, another type an error")
    func defaults() throws {
        let vault = try TemporaryVault().unlocked()
        #expect(try vault[.username] == "anonymous")
        #expect(try vault[.retries] == 3)
        #expect(throws: VaultError.notFound(name: "password")) { try vault.text(of: .password) }
        #expect(throws: VaultError.notFound(name: "password")) { _ = try vault.secret(for: .password) }
        try vault.update { draft in
            draft.set(SettingKey("retries", default: ""), to: "many")
            draft.set(SettingKey("username", default: 0), to: 7)
        }
        #expect(throws: VaultError.typeMismatch(name: "retries", expected: "integer", found: "string")) {
            _ = try vault[.retries]
        }
        #expect(throws: VaultError.typeMismatch(name: "username", expected: "string", found: "integer")) {
            _ = try vault[.username]
        }
        #expect(throws: VaultError.typeMismatch(name: "username", expected: "string or data", found: "integer")) {
            try vault.text(of: SecretKey("username"))
        }
    }

    @Test("an integer is read as a real only if nothing is lost, a boolean never as a number")
    func numbers() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.update { draft in
            draft.set(SettingKey("exact", default: 0), to: 1 << 53)
            draft.set(SettingKey("inexact", default: 0), to: 1 << 53 + 1)
            draft.set(SettingKey("truth", default: false), to: true)
            draft.set(SettingKey("least", default: 0), to: .min)
            draft.set(SettingKey("most", default: 0), to: .max)
        }
        #expect(try vault[SettingKey("exact", default: 0.0)] == 9_007_199_254_740_992)
        #expect(throws: VaultError.typeMismatch(name: "inexact", expected: "real", found: "integer that does not fit"))
        {
            _ = try vault[SettingKey("inexact", default: 0.0)]
        }
        #expect(throws: VaultError.typeMismatch(name: "truth", expected: "integer", found: "boolean")) {
            _ = try vault[SettingKey("truth", default: 0)]
        }
        #expect(throws: VaultError.typeMismatch(name: "exact", expected: "boolean", found: "integer")) {
            _ = try vault[SettingKey("exact", default: false)]
        }
        #expect(try vault[SettingKey("least", default: 0)] == .min)
        #expect(try vault[SettingKey("most", default: 0)] == .max)
    }

    @Test("whether anything stands at the path is told without a passphrase, and without writing")
    func exists() throws {
        let place = try TemporaryVault(create: false)
        #expect(try place.handle().exists() == false)
        #expect(try place.files() == [])
        try place.write([1, 2, 3])
        #expect(try place.handle().exists())
        #expect(try Vault(at: .file(place.directory.path)).exists())
        #expect(try Vault(at: .file("/nowhere/at/all")).exists() == false)
        #expect(throws: VaultError.self) { try Vault(at: .userData("a/b")).exists() }
    }

    @Test("a closure that borrows a secret may give back a secret of its own")
    func secretOutOfClosure() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.set(.password, "hunter2")
        let first = try vault.withBytes(of: .password) { bytes in try Secret(copying: bytes) }
        let second = try vault.update { draft in try draft.withBytes(of: .password) { try Secret(copying: $0) } }
        let isEqual = first.isEqual(to: second)
        #expect(isEqual)
        #expect(first.count == 7)
    }

    @Test("each error is told in a sentence that carries no more than the caller gave")
    func descriptions() {
        let errors: [VaultError] = [
            .noVault(path: "/p"), .alreadyExists(path: "/p"), .notAVault(path: "/p"), .unsupportedVersion(7),
            .unsupportedFeature(field: "kdf", value: 7), .damaged(reason: "why"),
            .limitExceeded(field: "mem", value: 7, bound: 6), .notEnoughMemory(memoryKiB: 7),
            .notEnoughMemory(memoryKiB: nil), .wrongPassphrase, .tampered, .invalidContents(reason: "why"),
            .rolledBack(generation: 6, newest: 7), .forked(generation: 7), .replaced, .rekeyed, .noMatchingSlot,
            .conflict, .locked, .ioError(step: "rename", errno: 7, path: "/p"),
            .savedButNotSynced(errno: 7, path: "/p"), .notFound(name: "n"),
            .typeMismatch(name: "n", expected: "integer", found: "string"), .refused(reason: "why"),
        ]
        let texts = errors.map { "\($0)" }
        #expect(Set(texts).count == texts.count)
        for (error, text) in zip(errors, texts) {
            // What a case carries is in its text.
            for child in Mirror(reflecting: error).children {
                for part in Mirror(reflecting: child.value).children {
                    guard Mirror(reflecting: part.value).displayStyle != .optional else { continue }
                    #expect(text.contains("\(part.value)"), "\(text)")
                }
            }
        }
        #expect("\(VaultError.locked)" == "the vault is locked: unlock it")
        // A path that somebody else chose does not steer a terminal.
        #expect(
            "\(VaultError.notAVault(path: "/a\u{1B}[2J\n\u{9B}é"))"
                == "/a\\u{1b}[2J\\u{a}\\u{9b}é is not a Coffer vault")
        // A file with an old key can have been saved more often than what was seen.
        for generation: UInt64 in [7, 8] {
            let text = "\(VaultError.rolledBack(generation: generation, newest: 7))"
            #expect(text.contains("save \(generation)") && text.contains("a key that was replaced"), "\(text)")
        }
    }

    @Test("every call on a locked vault says so")
    func locked() throws {
        let place = try TemporaryVault()
        for vault in [place.handle(), try place.unlocked()] {
            vault.lock()
            #expect(!vault.isUnlocked)
            #expect(vault.memoryProtection == nil)
            #expect(throws: VaultError.locked) { _ = try vault[.username] }
            #expect(throws: VaultError.locked) { try vault.names() }
            #expect(throws: VaultError.locked) { try vault.contains("username") }
            #expect(throws: VaultError.locked) { _ = try vault.secret(for: .password) }
            #expect(throws: VaultError.locked) { try vault.text(of: .password) }
            #expect(throws: VaultError.locked) { try vault.update { _ in } }
            #expect(throws: VaultError.locked) { try vault.changePassphrase(to: Secret.text("new passphrase")) }
        }
    }

    @Test("a wrong passphrase, an empty one and one that is too long are told apart")
    func passphrases() throws {
        let vault = try TemporaryVault().handle()
        #expect(throws: VaultError.wrongPassphrase) { try vault.unlock(Secret.text("wrong")) }
        #expect(throws: VaultError.refused(reason: "the passphrase is empty")) { try vault.unlock(Secret.text("")) }
        for length in [1_025, 5_000, 1 << 20] {
            #expect(throws: VaultError.refused(reason: "the passphrase is longer than 1024 bytes")) {
                try vault.unlock(Secret.text(String(repeating: "x", count: length)))
            }
        }
        #expect(throws: VaultError.wrongPassphrase) {
            try vault.unlock(Secret.text(String(repeating: "x", count: 1_024)))
        }
        #expect(!vault.isUnlocked)
    }

    @Test("a passphrase opens the vault in whatever Unicode form it is typed")
    func normalization() throws {
        let place = try TemporaryVault(create: false)
        try place.handle().create(
            passphrase: Secret.text("pa\u{308}sswo\u{308}rd \u{1F511}"), derivation: TemporaryVault.cheap)
        let vault = place.handle()
        try vault.unlock(Secret.text("p\u{E4}ssw\u{F6}rd \u{1F511}"))
        #expect(vault.isUnlocked)
        // 1,024 bytes are counted after composing.
        let long = String(repeating: "a\u{308}", count: 512)
        #expect(throws: VaultError.wrongPassphrase) { try vault.unlock(Secret.text(long)) }
    }

    @Test("a passphrase that is no text opens the vault as bytes")
    func binaryPassphrase() throws {
        let place = try TemporaryVault(create: false)
        let bytes: [UInt8] = [0xFF, 0x00, 0xC3, 0x28, 0xED, 0xA0, 0x80]
        try place.handle().create(passphrase: Secret(copying: bytes), derivation: TemporaryVault.cheap)
        let vault = place.handle()
        try vault.unlock(Secret(copying: bytes))
        #expect(vault.isUnlocked)
    }

    @Test("create overwrites nothing, and refuses what the format does not allow")
    func create() throws {
        let place = try TemporaryVault()
        let before = try place.bytes()
        #expect(throws: VaultError.alreadyExists(path: place.path)) {
            try place.handle().create(passphrase: Secret.text("another passphrase"), derivation: TemporaryVault.cheap)
        }
        #expect(try place.bytes() == before)
        let empty = try TemporaryVault(create: false)
        #expect(throws: VaultError.limitExceeded(field: "ops", value: 2, bound: 3)) {
            try empty.handle().create(passphrase: Secret.text("x"), cost: .init(passes: 2, memoryKiB: 65_536))
        }
        #expect(throws: VaultError.limitExceeded(field: "mem", value: 65_535, bound: 65_536)) {
            try empty.handle().create(passphrase: Secret.text("x"), cost: .init(passes: 3, memoryKiB: 65_535))
        }
        #expect(throws: VaultError.limitExceeded(field: "ops*mem", value: 5_242_880, bound: 4_194_304)) {
            try empty.handle().create(passphrase: Secret.text("x"), cost: .init(passes: 5, memoryKiB: 1_048_576))
        }
        #expect(throws: VaultError.refused(reason: "the passphrase is empty")) {
            try empty.handle().create(passphrase: Secret.text(""))
        }
        #expect(try empty.files() == [])
        #expect(throws: VaultError.noVault(path: empty.path)) { try empty.handle().unlock(Secret.text("x")) }
    }

    @Test("a refused creation leaves nothing behind")
    func refusedCreation() throws {
        let place = try TemporaryVault(create: false)
        let vault = Vault(at: .file(place.path), surroundings: .with(memory: { 0 }))
        #expect(throws: VaultError.limitExceeded(field: "mem", value: 1_048_576, bound: 262_144)) {
            try vault.create(passphrase: Secret.text(TemporaryVault.passphrase), cost: .sensitive)
        }
        #expect(try place.files() == [])
    }

    @Test("a location in the user's data takes names, and no paths", arguments: ["", ".", "..", "a/b", "a\0b"])
    func locations(name: String) throws {
        #expect(throws: VaultError.refused(reason: "a vault's location is named without a path")) {
            try Vault(at: .userData(name)).path()
        }
        #expect(throws: VaultError.refused(reason: "a vault's location is named without a path")) {
            try Vault(at: .userData("app", name: name)).path()
        }
    }

    @Test(
        "a line is read up to its end, and a carriage return belongs to the end only before a line feed",
        arguments: [
            ("pass\nrest", "pass"), ("pass\r\nrest", "pass"), ("pass\r", "pass\r"), ("pass", "pass"), ("\n", ""),
            ("a\rb\r\r\n", "a\rb\r"), ("12345678\r\n", "12345678"),
        ])
    func lines(input: String, expected: String) throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        let secret = try Secret(readingLineFrom: pipe.fileHandleForReading.fileDescriptor, limit: 8)
        let text = secret.withBytes { String(decoding: $0.array, as: UTF8.self) }
        #expect(text == expected)
    }

    @Test("an input that has ended gives no empty secret")
    func endOfInput() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("first\n".utf8))
        try pipe.fileHandleForWriting.close()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        #expect(try Secret(readingLineFrom: descriptor).count == 5)
        #expect(throws: VaultError.refused(reason: "the input ended before there was a line")) {
            _ = try Secret(readingLineFrom: descriptor)
        }
    }

    @Test("a line over its limit is an error, not a cut", arguments: ["123456789", "123456789\n", "12345678\r1\n"])
    func longLines(input: String) throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        #expect(throws: VaultError.self) {
            _ = try Secret(readingLineFrom: pipe.fileHandleForReading.fileDescriptor, limit: 8)
        }
    }

    @Test("a new vault has the default cost, and no warning")
    func defaultCost() throws {
        let place = try TemporaryVault(create: false)
        let vault = place.handle()
        try vault.create(passphrase: Secret.text(TemporaryVault.passphrase))
        let inspection = try place.handle().inspect()
        #expect(inspection.cost == .moderate)
        #expect(inspection.fileLength == 4_248)
        #expect(inspection.plaintextLength == 4_096)
        #expect(inspection.slotTypes == [])
        #expect(vault.warnings == [])
        #expect(vault.isUnlocked)
        #expect(try TemporaryVault().unlocked().warnings == [.weakKeyDerivation(passes: 1, memoryKiB: 8_192)])
    }

    @Test("more than half of the machine's memory is refused unless it is allowed")
    func memory() throws {
        let place = try TemporaryVault(create: false)
        let derivation = KeyDerivation(passes: 1, memoryKiB: 262_148)
        try place.handle().create(passphrase: Secret.text(TemporaryVault.passphrase), derivation: derivation)
        let half: UInt64 = 262_147 * 1_024
        let vault = Vault(at: .file(place.path), surroundings: .with(memory: { 2 * half + 1_023 }))
        let passphrase = try Secret.text(TemporaryVault.passphrase)
        #expect(throws: VaultError.limitExceeded(field: "mem", value: 262_148, bound: 262_147)) {
            try vault.unlock(passphrase)
        }
        // The passphrase's length is judged before the memory.
        #expect(throws: VaultError.refused(reason: "the passphrase is empty")) { try vault.unlock(Secret.text("")) }
        try vault.unlock(passphrase, allowingAnyMemory: true)
        #expect(vault.isUnlocked)
        // What is not above 256 MiB is never asked about.
        let small = Vault(at: .file(try TemporaryVault().path), surroundings: .with(memory: { 0 }))
        try small.unlock(passphrase)
        #expect(small.isUnlocked)
    }

    @Test("a dropped copy is decrypted again at the next read")
    func droppedCopy() throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        try vault.set(.password, "secret")
        vault.dropCopy()
        #expect(vault.isUnlocked)
        #expect(vault.memoryProtection == nil)
        #expect(try vault.text(of: .password) == "secret")
        vault.dropCopy()
        try vault.set(.password, "another")
        #expect(try place.unlocked().text(of: .password) == "another")
    }
}
