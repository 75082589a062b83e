import Coffer
import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing
import VaultFile

/// A clock that stands where a test puts it.
final class FixedWallClock: Sendable {
    private let time: Mutex<Int64>

    init(_ milliseconds: Int64 = 1_700_000_000_000) { time = Mutex(milliseconds) }

    var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    func advance(days: Int64) { time.withLock { $0 += days * 86_400_000 } }
}

extension TemporaryVault {
    /// A new handle that is unlocked, with a clock of the test's.
    func unlocked(_ clock: FixedWallClock) throws -> Vault {
        var surroundings = VaultSurroundings()
        surroundings.wallClock = { clock.now }
        let vault = Vault(at: .file(path), surroundings: surroundings)
        try vault.unlock(Secret.text(Self.passphrase))
        return vault
    }
}

@Suite struct HistoryTests {
    private let place: TemporaryVault
    private let clock = FixedWallClock()
    private let vault: Vault

    private static let nothingKept = VaultError.refused(
        reason: "no value from before the last change is kept, so there is nothing to undo")

    init() throws {
        place = try TemporaryVault()
        vault = try place.unlocked(clock)
    }

    private func set(_ name: String, _ value: String) throws {
        try vault.update { draft in draft.set(SettingKey(name, default: ""), to: value) }
    }

    private func value(_ name: String) throws -> String { try vault[SettingKey(name, default: "absent")] }

    /// Milliseconds since 1970, which a date holds well enough to be rounded back.
    private func modified(_ name: String) throws -> Int64? {
        try vault.modified(name).map { Int64(($0.secondsSince1970 * 1_000).rounded()) }
    }

    @Test("undo swaps a value and the one before, again and again, in other handles too")
    func swap() throws {
        try set("a", "one")
        #expect(throws: Self.nothingKept) { try vault.undo("a") }
        try set("a", "two")
        try vault.undo("a")
        #expect(try value("a") == "one")
        try place.unlocked(clock).undo("a")
        try vault.update { _ in }
        #expect(try value("a") == "two")
        try set("a", "three")
        try vault.undo("a")
        #expect(try value("a") == "two")
        #expect(throws: VaultError.notFound(name: "absent")) { try vault.undo("absent") }
    }

    @Test("undo keeps types, secrets and other names as they are")
    func types() throws {
        let secret = try Secret.text("p\u{E4}ss \u{1F511}")
        try vault.update { draft in draft.set(.password, to: secret) }
        try vault.update { draft in
            draft.set(SettingKey("password", default: 0), to: 7)
            draft.set(.retries, to: 9)
        }
        try vault.undo("password")
        #expect(try vault.text(of: .password) == "p\u{E4}ss \u{1F511}")
        #expect(try vault[.retries] == 9)
        try vault.undo("password")
        #expect(try vault[SettingKey("password", default: 0)] == 7)
    }

    @Test("a removal can be undone if that was asked for, and leaves nothing otherwise")
    func removal() throws {
        try set("a", "one")
        try set("a", "two")
        try vault.update { draft in draft.remove("a", undoable: true) }
        #expect(try vault.contains("a") == false)
        try vault.undo("a")
        #expect(try value("a") == "two")
        #expect(throws: Self.nothingKept) { try vault.undo("a") }
        try set("a", "three")
        try vault.update { draft in draft.remove("a") }
        #expect(throws: VaultError.notFound(name: "a")) { try vault.undo("a") }
        // What is set anew has no predecessor, whatever was kept of the name.
        try set("a", "four")
        try vault.update { draft in draft.remove("a", undoable: true) }
        try set("a", "five")
        #expect(throws: Self.nothingKept) { try vault.undo("a") }
    }

    @Test("keys do for removal, undo and age what names do")
    func keys() throws {
        let (number, secret) = (SettingKey("number", default: 0), SecretKey("secret"))
        for value in [1, 2] {
            try vault.update { draft in draft.set(number, to: value) }
            try vault.set(secret, "secret \(value)")
        }
        #expect(try vault.modified(number) == vault.modified("number"))
        #expect(try vault.modified(secret)?.secondsSince1970 == Double(clock.now) / 1_000)
        try vault.undo(number)
        try vault.undo(secret)
        #expect(try vault[number] == 1)
        #expect(try vault.text(of: secret) == "secret 1")
        try vault.update { draft in
            draft.undo(number)
            draft.remove(secret, undoable: true)
        }
        #expect(try vault[number] == 2)
        try vault.update { draft in
            draft.remove(number)
            draft.undo(secret)
        }
        #expect(try vault.names() == ["secret"])
        #expect(throws: VaultError.notFound(name: "number")) { try vault.undo(number) }
    }

    @Test("the present is a moment of today")
    func present() {
        let now = SettingDate.now
        #expect(abs(now.secondsSince1970 - Date().timeIntervalSince1970) < 60)
    }

    @Test("what a removal kept for an undo goes with a second removal")
    func secondRemoval() throws {
        try set("a", "one")
        try vault.update { draft in draft.remove("a", undoable: true) }
        let isThere = try vault.update { draft in draft.remove("a") }
        #expect(!isThere)
        #expect(throws: VaultError.notFound(name: "a")) { try vault.undo("a") }
        #expect(try AuditReader.history(of: place).previous.isEmpty)
        // Also in one update, and in whatever form the name is spelled.
        try set("caf\u{E9}", "one")
        try vault.update { draft in
            draft.remove("caf\u{E9}", undoable: true)
            draft.remove("cafe\u{301}")
        }
        #expect(throws: VaultError.notFound(name: "caf\u{E9}")) { try vault.undo("caf\u{E9}") }
        // Asked to keep it, a second removal changes nothing.
        try set("b", "one")
        try vault.update { draft in draft.remove("b", undoable: true) }
        let before = try place.bytes()
        try vault.update { draft in _ = draft.remove("b", undoable: true) }
        #expect(try place.bytes() == before)
        try vault.undo("b")
        #expect(try value("b") == "one")
    }

    @Test("a value that is removed and set anew in one update is not kept")
    func removedAndSet() throws {
        try set("a", "one")
        try set("a", "two")
        try vault.update { draft in
            draft.remove("a")
            draft.set(SettingKey("a", default: ""), to: "three")
        }
        #expect(throws: Self.nothingKept) { try vault.undo("a") }
        #expect(try AuditReader.history(of: place).previous.isEmpty)
        // A removal that is to be undone keeps it, as a change does.
        try vault.update { draft in
            draft.remove("a", undoable: true)
            draft.set(SettingKey("a", default: ""), to: "four")
        }
        try vault.undo("a")
        #expect(try value("a") == "three")
        // A name that was given away stays another setting when its new value is removed and brought back.
        try vault.update { draft in
            draft.rename("a", to: "b")
            draft.set(SettingKey("a", default: ""), to: "new")
            draft.remove("a", undoable: true)
            draft.undo("a")
        }
        #expect(throws: Self.nothingKept) { try vault.undo("a") }
    }

    @Test("a rename takes age and last value along, and what it replaces can be brought back")
    func rename() throws {
        let start = clock.now
        try set("a", "one")
        try set("a", "two")
        clock.advance(days: 1)
        try vault.update { draft in draft.rename("a", to: "b") }
        #expect(try modified("b") == start)
        try vault.undo("b")
        #expect(try value("b") == "one")
        #expect(try modified("b") == clock.now)
        #expect(throws: VaultError.notFound(name: "a")) { try vault.undo("a") }
        try set("c", "other")
        try vault.update { draft in draft.rename("b", to: "c", replacing: true) }
        #expect(try value("c") == "one")
        try vault.undo("c")
        #expect(try value("c") == "other")
    }

    @Test("several changes of one name in one update are one change")
    func oneUpdate() throws {
        try set("a", "one")
        try vault.update { draft in
            draft.set(SettingKey("a", default: ""), to: "draft")
            draft.set(SettingKey("a", default: ""), to: "two")
        }
        try vault.undo("a")
        #expect(try value("a") == "one")
        try vault.update { draft in
            draft.set(SettingKey("a", default: ""), to: "three")
            draft.undo("a")
            draft.undo("a")
        }
        #expect(try value("a") == "three")
        // Nothing is left of a removal that is undone, so nothing is saved.
        let before = try place.bytes()
        try vault.update { draft in
            draft.remove("a", undoable: true)
            draft.undo("a")
        }
        #expect(try place.bytes() == before)
        // What gets the old name after a rename is another setting.
        try vault.update { draft in
            draft.rename("a", to: "b")
            draft.set(SettingKey("a", default: ""), to: "new")
        }
        #expect(throws: Self.nothingKept) { try vault.undo("a") }
        try vault.undo("b")
        #expect(try value("b") == "one")
        // A value that was only ever in the draft is kept too when its removal is to be undone.
        try vault.update { draft in
            draft.set(SettingKey("b", default: ""), to: "in the draft")
            draft.remove("b", undoable: true)
        }
        try vault.undo("b")
        #expect(try value("b") == "in the draft")
        #expect(throws: VaultError.notFound(name: "b")) {
            try vault.update { draft in
                draft.remove("b")
                draft.undo("b")
            }
        }
    }

    @Test("modified is the time of the last other value; what is unknown says so")
    func ages() throws {
        let start = clock.now
        try set("a", "one")
        clock.advance(days: 2)
        try set("b", "one")
        try set("a", "one")
        #expect(try modified("a") == start)
        #expect(try modified("b") == clock.now)
        #expect(throws: VaultError.notFound(name: "c")) { try vault.modified("c") }
        // A clock that was set back: more than a day ahead is now, less is believed.
        let written = clock.now
        clock.now = written - 86_400_000
        #expect(try modified("b") == written)
        clock.now -= 1
        #expect(try modified("b") == clock.now)
        // In whatever form the name is spelled.
        try set("caf\u{E9}", "x")
        #expect(try modified("cafe\u{301}") == clock.now)
        vault.lock()
        #expect(throws: VaultError.locked) { try vault.modified("a") }
    }

    @Test("names, types and ages that are lent together are those of one save")
    func oneSave() throws {
        // Whenever the file is opened there is one more setting in it, and time for another look.
        let (time, other) = (ManualClock(), vault)
        let opened = Mutex(0)
        var surroundings = VaultSurroundings(
            system: FaultingSystemCalls(before: { call in
                time.advance(by: .seconds(1))
                guard call == .open else { return }
                let number = opened.withLock {
                    $0 += 1; return $0
                }
                try? other.update { draft in draft.set(SettingKey("\(number)", default: 0), to: number) }
            }))
        surroundings.clock = time
        let reader = Vault(at: .file(place.path), surroundings: surroundings)
        try reader.unlock(Secret.text(TemporaryVault.passphrase))
        for _ in 0..<3 {
            let count = try reader.withHistory { (list, names, modified, _) in
                #expect(names.count == list.count(of: 0))
                #expect(names.count == modified.count)
                return names.count
            }
            #expect(count > 0)
            time.advance(by: .seconds(1))
        }
        #expect(opened.withLock { $0 } > 3)
    }

    @Test("a change of passphrase keeps ages and last values")
    func passphrase() throws {
        try set("a", "one")
        try set("a", "two")
        let time = try modified("a")
        clock.advance(days: 3)
        try vault.changePassphrase(to: Secret.text("another passphrase"), derivation: TemporaryVault.cheap)
        #expect(try modified("a") == time)
        try vault.undo("a")
        #expect(try value("a") == "one")
    }

    @Test("a vault whose ages a stranger dropped gets new ones with its next change")
    func strangers() throws {
        // Another program's save: the same settings and more, and metadata without `modified`.
        try set("a", "one")
        let bytes = try place.bytes()
        let header = try VaultHeader(bytes.rawSpan)
        let passphrase = Array(TemporaryVault.passphrase.utf8)
        let key = try MasterKey(passphrase: passphrase.rawSpan, keyDerivation: header.keyDerivation)
        let opened = try SealedVault.open(bytes.rawSpan, header: header, key: key)
        let stripped = try opened.next(metadata: RawSpan())
        let random = [UInt8](repeating: 1, count: 32)
        let file = try SealedVault.seal(stripped.bytes, key: key, slots: [], random: random.rawSpan)
        try place.write(file.bytes.bytes.array)
        let other = try place.unlocked(clock)
        #expect(try other.modified("a") == nil)
        #expect(throws: Self.nothingKept) { try other.undo("a") }
        try other.update { draft in draft.set(SettingKey("b", default: 0), to: 1) }
        #expect(try other.modified("a") == nil)
        #expect(try other.modified("b") != nil)
    }

    @Test("a reader that shares no code finds the same ages, tombstones and last values")
    func independentReader() throws {
        let start = clock.now
        try vault.update { draft in
            for name in ["a", "b", "\u{E9}", "\u{1F511}"] { draft.set(SettingKey(name, default: 0), to: 1) }
        }
        clock.advance(days: 1)
        try vault.update { draft in
            draft.set(SettingKey("\u{E9}", default: 0), to: 2)
            draft.remove("b", undoable: true)
            draft.remove("a")
        }
        let history = try AuditReader.history(of: place)
        #expect(history.current)
        #expect(history.modified == ["\u{E9}": clock.now, "\u{1F511}": start])
        #expect(history.removed == ["a": clock.now, "b": clock.now])
        #expect(
            history.previous == ["b": .init(saved: clock.now, value: 1), "\u{E9}": .init(saved: clock.now, value: 1)])
    }
}

/// The second implementation, which runs as a program of its own.
private enum AuditReader {
    struct History: Decodable {
        struct Last: Decodable, Equatable {
            let saved: Int64
            let value: Int64
        }
        let current: Bool
        let modified: [String: Int64?]
        let removed: [String: Int64]
        let previous: [String: Last]
    }

    static func history(of place: TemporaryVault) throws -> History {
        let passphrase = place.directory.appendingPathComponent("passphrase")
        try Data(TemporaryVault.passphrase.utf8).write(to: passphrase)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            Repository.root.appendingPathComponent("Tests/Audit/test_helper.py").path, "history",
            place.path, passphrase.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try #require(try output.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode(History.self, from: data)
    }
}
