import Coffer
import Foundation
import TestSupport
import Testing
import VaultFile

/// A vault of every version that was released must open, and be saved, for ever.
@Suite struct GoldenVaultTests {
    @Test("there is a vault of a released version")
    func present() throws { #expect(try VectorFile.places(in: "golden").count >= 1) }

    @Test(
        "a vault of a released version opens with all that is in it, and stays usable",
        arguments: VectorFile.all(in: ["golden"]))
    func opens(place: VectorFile.Place) throws {
        let vector = try place.load()
        let fixture = try vector.placed()
        let passphrase = try Secret(copying: try #require(vector.passphrase))
        let vault = fixture.handle()
        try vault.unlock(passphrase)
        let settings = try #require(vector.list(.settingsJSON))
        let metadata = try #require(vector.list(.metadataJSON))
        try VectorTests.compare(vault, with: settings)
        let cost = try vault.inspect().cost
        let names = try vault.names()
        try Self.compareAges(vault, names, metadata["modified"])
        try Self.undo(in: vault, metadata["previous"], settings)

        // Any save: the cost stays, and so does all else.
        try vault.update { draft in draft.set(SettingKey("golden", default: ""), to: "saved by a later version") }
        let again = fixture.handle()
        try again.unlock(passphrase)
        #expect(try again.inspect().cost == cost)
        #expect(try again.value("golden", default: "") == "saved by a later version")
        try again.update { draft in draft.remove("golden") }
        try VectorTests.compare(again, with: settings)
        #expect(try again.names() == names)
    }

    /// The times of `modified`: 8 bytes for each setting in the order of the names, after a digest; 0 is unknown.
    private static func compareAges(_ vault: Vault, _ names: [String], _ modified: PlainValue?) throws {
        guard case .data(let bytes)? = modified else {
            Issue.record("the golden vault has no ages")
            return
        }
        try #require(bytes.count == 16 + 8 * names.count)
        for (index, name) in names.enumerated() {
            let start = 16 + 8 * index
            let time = bytes[start..<start + 8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let expected = time == 0 ? nil : SettingDate(secondsSince1970: Double(time) / 1_000)
            #expect(try vault.modified(name) == expected, "\(name)")
        }
    }

    /// Swaps each setting that has a value from before with it, and back again.
    private static func undo(in vault: Vault, _ previous: PlainValue?, _ settings: PlainValue) throws {
        guard case .dictionary(let entries)? = previous, !entries.isEmpty else {
            Issue.record("the golden vault has nothing to undo")
            return
        }
        for (key, entry) in entries {
            let name = String(decoding: key, as: UTF8.self)
            try vault.undo(name)
            #expect(PlainValue(try vault.value(name, default: .string("nothing"))) == entry["value"], "\(name)")
            guard let value = settings[name] else {
                // It was removed so that this could be taken back: there is nothing before that.
                try vault.update { draft in draft.remove(name, undoable: true) }
                continue
            }
            try vault.undo(name)
            #expect(PlainValue(try vault.value(name, default: .string("nothing"))) == value, "\(name)")
        }
    }
}

extension PlainValue {
    /// An entry of a dictionary.
    fileprivate subscript(_ name: String) -> PlainValue? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries[Array(name.utf8)]
    }
}
