import Coffer
import PropertyLists
import TestSupport
import Testing

/// Defaults stand for what is absent, and for nothing else.
@Suite struct DefaultsTests {
    /// Sets one value and expects it, and no default, in the draft, the vault and another handle.
    private static func expectSet<Value: SettingValue & Equatable>(_ value: Value, not fallback: Value) throws {
        let place = try TemporaryVault()
        let vault = try place.unlocked()
        let key = SettingKey("value", default: fallback)
        #expect(try vault[key] == fallback)
        #expect(try vault[key, default: value] == value)
        #expect(try !vault.isSet(key))
        try vault.update { (draft: inout Draft) throws in
            let (before, wasSet) = (try draft[key], try draft.isSet(key))
            #expect(before == fallback && !wasSet)
            draft.set(key, to: value)
            let reads = [try draft[key], try draft[key, default: fallback], try draft.get(key)]
            #expect(reads == [value, value, value])
            let (byName, isSet) = (try draft.value("value", default: fallback), try draft.isSet(key))
            #expect(byName == value && isSet)
        }
        for vault in [vault, try place.unlocked()] {
            #expect(try vault[key] == value)
            #expect(try vault[key, default: fallback] == value)
            #expect(try vault.value("value", default: fallback) == value)
            #expect(try vault.isSet(key))
        }
    }

    @Test("zero is not absent") func zero() throws { try Self.expectSet(0, not: 3) }
    @Test("zero with a fraction is not absent") func realZero() throws { try Self.expectSet(0.0, not: 2.5) }
    @Test("false is not absent") func falsehood() throws { try Self.expectSet(false, not: true) }
    @Test("empty text is not absent") func emptyText() throws { try Self.expectSet("", not: "anonymous") }
    @Test("no bytes are not absent") func noBytes() throws {
        try Self.expectSet(SettingData([]), not: SettingData([1]))
    }
    @Test("an empty array is not absent") func emptyArray() throws { try Self.expectSet([], not: [1]) }
    @Test("an empty dictionary is not absent") func emptyDictionary() throws {
        try Self.expectSet([:], not: ["a": 1])
    }

    @Test("absent is the default of the key, of the call, or of nothing")
    func absent() throws {
        let vault = try TemporaryVault().unlocked()
        #expect(try vault[.retries] == 3)
        #expect(try vault[.retries, default: 5] == 5)
        #expect(try vault.value("retries", default: 7) == 7)
        #expect(try vault.value("name", default: "x") == "x")
        #expect(try vault.value("flag", default: true))
        #expect(try vault.value("ratio", default: 0.5) == 0.5)
        #expect(try vault.value("list", default: ["a"]) == ["a"])
        #expect(try vault[.ports] == [25, 587])
        #expect(try vault[.nickname] == nil)
        #expect(try !vault.isSet(.retries))
        #expect(try !vault.isSet(.nickname))
        #expect(try !vault.isSet(.password))
        #expect(throws: VaultError.notFound(name: "password")) { _ = try vault.secret(for: .password) }
    }

    @Test("removing a setting brings its default back, in the draft at once")
    func removal() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.update { draft in draft.set(.retries, to: 0) }
        try vault.update { (draft: inout Draft) throws in
            draft.remove("retries")
            let (read, isSet) = (try draft[.retries], try draft.isSet(.retries))
            #expect(read == 3 && !isSet)
            draft.set(.retries, to: 4)
            let again = try draft.value("retries", default: 9)
            #expect(again == 4)
            draft.rename("retries", to: "attempts")
            let renamed = try draft.value("attempts", default: 9)
            #expect(renamed == 4)
            let gone = try draft[.retries, default: 8]
            #expect(gone == 8)
        }
        #expect(try vault[.retries] == 3)
    }

    @Test("a default is asked for only when it is needed")
    func laziness() throws {
        let vault = try TemporaryVault().unlocked()
        var calls = 0
        func fallback() -> Int {
            calls += 1
            return 5
        }
        try vault.update { draft in draft.set(.retries, to: 0) }
        #expect(try vault[.retries, default: fallback()] == 0)
        #expect(try vault.value("retries", default: fallback()) == 0)
        #expect(calls == 0)
        #expect(try vault.value("other", default: fallback()) == 5)
        #expect(calls == 1)
    }

    @Test("a value of another type is an error whatever the default, and is set")
    func otherType() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.update { (draft: inout Draft) throws in
            draft.set(SettingKey("retries", default: ""), to: "many")
            let error = VaultError.typeMismatch(name: "retries", expected: "integer", found: "string")
            let isSet = try draft.isSet(.retries)
            #expect(isSet)
            do throws(VaultError) {
                _ = try draft[.retries, default: 5]
                Issue.record("read as an integer")
            } catch let failure {
                #expect(failure == error)
            }
        }
        #expect(try vault.isSet(.retries))
        let error = VaultError.typeMismatch(name: "retries", expected: "integer", found: "string")
        #expect(throws: error) { try vault[.retries, default: 5] }
        #expect(throws: error) { try vault.value("retries", default: 5) }
    }

    @Test("an empty secret is set")
    func emptySecret() throws {
        let vault = try TemporaryVault().unlocked()
        try vault.update { (draft: inout Draft) throws in
            let before = try draft.isSet(.password)
            draft.set(.password, to: try Secret.text(""))
            let after = try draft.isSet(.password)
            #expect(!before && after)
        }
        #expect(try vault.isSet(.password))
        #expect(try vault.text(of: .password) == "")
    }

    @Test("every read of a locked vault says so, and gives no default")
    func locked() throws {
        let vault = try TemporaryVault().handle()
        #expect(throws: VaultError.locked) { try vault[.nickname] }
        #expect(throws: VaultError.locked) { try vault[.retries, default: 5] }
        #expect(throws: VaultError.locked) { try vault[.nickname, default: ""] }
        #expect(throws: VaultError.locked) { try vault.value("retries", default: 5) }
        #expect(throws: VaultError.locked) { try vault.isSet(.retries) }
        #expect(throws: VaultError.locked) { try vault.isSet(.password) }
    }

    @Test("what another program wrote in canonical form is read by type")
    func otherWriter() throws {
        let place = try TemporaryVault()
        var builder = try PropertyListBuilder()
        try builder.beginDictionary()
        try builder.key(utf8: Array("when".utf8).rawSpan)
        try builder.date(86_400)
        try builder.key(utf8: Array("raw".utf8).rawSpan)
        try builder.data([1, 2, 3].rawSpan)
        try builder.key(utf8: Array("n\u{E9}".utf8).rawSpan)
        try builder.beginArray()
        try builder.real(2)
        try builder.integer(2)
        try builder.endArray()
        try builder.endDictionary()
        let list = try builder.finish()
        try place.unlocked().update { draft in draft.set("other", list: list.bytes) }
        let value = try place.unlocked().value("other", default: [String: StoredValue]())
        #expect(value["when"] == SettingDate(secondsSince2001: 86_400)?.stored)
        #expect(value["raw"] == .data(SettingData([1, 2, 3])))
        #expect(value["ne\u{301}"].flatMap([Double].init(stored:)) == [2, 2])
        #expect(value.count == 3)
    }
}
