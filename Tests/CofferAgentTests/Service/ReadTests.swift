import Coffer
import CofferAgent
import PropertyLists
import SecureMemory
import TestSupport
import Testing
import VaultFile

@Suite struct ReadTests {
    @Test("values pass unchanged, of one byte, of 64 KiB and of 16 MiB", arguments: [0, 1, 1 << 16, 1 << 24])
    func sizes(size: Int) throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        var bytes = [UInt8](repeating: 0, count: size)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 8) }
        var values = try GuardedArena()
        let range = try LeafList.append(data: bytes.rawSpan, to: &values)
        let list = values.bytes.array
        let change = AgentChange(
            path: place.path, expected: nil, steps: [.set(name: "blob", value: range, replaces: true)], values: values)
        #expect(try scene.ask(.change(change)) == .changed(generation: 2, before: [nil]))
        let answer = try scene.ask(.value(path: place.path, name: "blob"))
        #expect(answer == .value(generation: 2, list: list))
        #expect(try place.unlocked()[SettingKey("blob", default: SettingData([]))].bytes == bytes)
    }

    @Test("values of every kind pass unchanged, nested ones too")
    func kinds() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        let value = StoredValue.dictionary([
            "a": .array([.integer(-7), .real(0.5), .boolean(true), .string("\u{1F511}"), .data(SettingData([0, 255]))]),
            "b": .dictionary([:]), "\u{E4}": .array([]),
        ])
        let key = SettingKey("all", default: StoredValue.boolean(false))
        try place.unlocked().update { draft in draft.set(key, to: value) }
        #expect(try scene.unlock(place) == .done)
        guard case .value(2, let list?) = try scene.ask(.value(path: place.path, name: "all")) else {
            Issue.record("no value")
            return
        }
        // Nobody who reads it has to trust the agent.
        try CanonicalCheck.check(list.rawSpan, maximumDepth: 31, requireDictionary: false, names: .any)
        var values = try GuardedArena()
        let range = try values.append(list.rawSpan)
        let change = AgentChange(
            path: place.path, expected: nil, steps: [.set(name: "copy", value: range, replaces: true)], values: values)
        #expect(try scene.ask(.change(change)) == .changed(generation: 3, before: [nil]))
        #expect(try place.unlocked()[SettingKey("copy", default: StoredValue.boolean(false))] == value)
    }

    @Test("a setting that is not there is told apart from a vault that is locked; a name is found in composed form")
    func names() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        #expect(try scene.change(place, .set("p\u{E4}ss", "x")) == .changed(generation: 2, before: [nil]))
        #expect(try scene.text(place, "pa\u{308}ss") == "x")
        #expect(try scene.ask(.value(path: place.path, name: "nothing")) == .value(generation: 2, list: nil))
        #expect(try scene.ask(.value(path: place.path, name: "")) == .value(generation: 2, list: nil))
        #expect(try scene.ask(.value(path: "/none/x", name: "x")) == .locked)
    }

    @Test("a list comes in pages, in the order of the names, with kinds and ages")
    func pages() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        // More than one page holds.
        let filler = String(repeating: "n", count: 1_000)
        let names = (0..<600).map { "\($0)\(filler)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        try place.unlocked().update { draft in
            for name in names { draft.set(SettingKey(name, default: 0), to: 1) }
        }
        #expect(try scene.unlock(place) == .done)
        var (found, pages, last): ([AgentEntry], Int, String?) = ([], 0, nil)
        while case .list(2, let entries, let hasMore) = try scene.ask(.list(path: place.path, after: last)) {
            found += entries
            pages += 1
            last = entries.last?.name
            guard hasMore else { break }
        }
        #expect(pages == 3)
        #expect(found.map(\.name) == names)
        #expect(found.allSatisfy { $0.kind == .integer && $0.modified != nil })
    }

    @Test("what the contents say of themselves is told")
    func details() throws {
        let (scene, place) = (Scene(), try TemporaryVault())
        #expect(try scene.unlock(place) == .done)
        _ = try scene.change(place, .set("a", "1"), .set("b", "2"))
        guard case .details(let details) = try scene.ask(.details(path: place.path)) else {
            Issue.record("no details")
            return
        }
        #expect(
            details.generation == 2 && details.numbers.settingsCount == 2 && details.check.count == 32
                && details.vaultID.count == 16)
    }
}
