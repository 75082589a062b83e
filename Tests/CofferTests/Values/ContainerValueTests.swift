import Coffer
import Foundation
import PropertyLists
import SecureMemory
import TestSupport
import Testing

/// Arrays and dictionaries, their keys and their depth, and random trees of all of it.
@Suite struct ContainerValueTests {
    @Test("keys that Swift takes for one are an error, and none is dropped")
    func equalKeys() throws {
        let place = try TemporaryVault()
        var builder = try PropertyListBuilder()
        try builder.beginArray()
        try builder.beginDictionary()
        for key in ["\u{E9}", "e\u{301}", "z"] {
            try builder.key(utf8: Array(key.utf8).rawSpan)
            try builder.integer(1)
        }
        try builder.endDictionary()
        try builder.endArray()
        let list = try builder.finish()
        try place.unlocked().update { draft in draft.set("names", list: list.bytes) }
        let vault = try place.unlocked()
        let found = "dictionary with two spellings of one key"
        #expect(throws: VaultError.typeMismatch(name: "names", expected: "value", found: found)) {
            try vault[StoredValue.key("names")]
        }
        #expect(
            throws: VaultError.typeMismatch(name: "names", expected: "array of dictionary of integer", found: found)
        ) {
            try vault.value("names", default: [["": 0]])
        }
        // What else is written leaves them all there.
        try vault.update { draft in draft.set(.username, to: "ann") }
        let count = try place.unlocked().withValue(of: "names") { (reader, object) in
            reader.count(of: reader.element(0, of: object))
        }
        #expect(count == 3)
    }

    @Test("keys are written in composed form, and values as they are")
    func composedKeys() throws {
        let place = try TemporaryVault()
        let inner = StoredValue.dictionary(["e\u{301}": .string("e\u{301}")])
        try place.unlocked().update { (draft: inout Draft) throws in
            draft.set(StoredValue.key("outer"), to: .dictionary(["a\u{308}": inner]))
            let read = try draft.value("outer", default: inner)
            #expect(read == .dictionary(["\u{E4}": inner]))
        }
        let written = try place.unlocked().withValue(of: "outer") { (reader, object) in
            let inner = reader.value(0, of: object)
            return [reader.key(0, of: object), reader.key(0, of: inner), reader.value(0, of: inner)]
                .map { reader.text($0).bytes.array }
        }
        #expect(written == [[0, 0xE4], [0, 0xE9], [0, 0x65, 3, 1]])
    }

    @Test("31 containers in one another are stored, and one more is an error before it costs stack")
    func depth() throws {
        let vault = try TemporaryVault().unlocked()
        for container: (StoredValue) -> StoredValue in [{ .array([$0]) }, { .dictionary(["a": $0]) }] {
            let deepest = StoredValue.nested(31, in: container)
            try vault.update { draft in draft.set(StoredValue.key("deep"), to: deepest) }
            #expect(try vault[StoredValue.key("deep")] == deepest)
            for depth in [32, 33, 2_000] {
                let deeper = StoredValue.nested(depth, in: container)
                #expect(throws: VaultError.limitExceeded(field: "depth", value: 33, bound: 32)) {
                    try vault.update { draft in draft.set(StoredValue.key("deep"), to: deeper) }
                }
            }
            #expect(try vault[StoredValue.key("deep")] == deepest)
        }
    }

    @Test("random trees come back bit by bit, and a reader that shares no code sees the same")
    func randomTrees() throws {
        let place = try TemporaryVault()
        var generator = Seeded(state: 20_010_101)
        let trees = (0..<300).map { _ in StoredValue.random(depth: 5, &generator) }
        try place.unlocked().update { (draft: inout Draft) throws in
            for (index, tree) in trees.enumerated() { draft.set(StoredValue.key("tree \(index)"), to: tree) }
        }
        let vault = try place.unlocked()
        var settings: [String: StoredValue] = [:]
        for (index, tree) in trees.enumerated() {
            let read = try vault[StoredValue.key("tree \(index)")]
            #expect(read?.audit == tree.audit, "tree \(index)")
            settings["tree \(index)"] = read
        }
        #expect(try Self.audit(place) == StoredValue.dictionary(settings).audit)
    }

    /// What the second reader says of a vault's settings.
    private static func audit(_ place: TemporaryVault) throws -> String {
        let script = """
            import struct, sys
            sys.dont_write_bytecode = True
            sys.path.insert(0, sys.argv[1])
            from property_list import Date
            from vault_file import Decoder, read_file
            def bits(v): return "7ff8000000000000" if v != v else struct.pack(">d", v).hex()
            def text(v):
                if isinstance(v, bool): return "b1" if v else "b0"
                if isinstance(v, int): return f"i{v}"
                if isinstance(v, Date): return "t" + bits(v)
                if isinstance(v, float): return "r" + bits(v)
                if isinstance(v, bytes): return "x" + v.hex()
                if isinstance(v, str): return "s" + v.encode().hex()
                if isinstance(v, list): return "[" + ",".join(map(text, v)) + "]"
                items = sorted((k.encode(), e) for k, e in v.items())
                return "{" + ",".join(k.hex() + ":" + text(e) for k, e in items) + "}"
            print(text(Decoder(*read_file(sys.argv[2])).open(sys.argv[3].encode()).settings), end="")
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let folder = Repository.root.appendingPathComponent("Tests/Audit").path
        process.arguments = ["-c", script, folder, place.path, TemporaryVault.passphrase]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}
