import CofferCommands
import Foundation
import TestSupport
import Testing

/// The fuzzer makes command lines out of a dictionary: an option that is not in it is hardly ever tried.
@Suite struct FuzzDictionaryTests {
    @Test("the fuzzer's dictionary has every verb and every option, and no other")
    func complete() throws {
        let file = Repository.root.appendingPathComponent("Tests/Fuzz/Seeds/options.dict")
        let entries = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: ["\""])
        }
        let commands = CommandTable.coffer.commands
        let options = CommandOption.global + commands.flatMap(\.options)
        let expected = options.map(\.spelling) + options.compactMap { $0.short.map { "-\($0)" } }
        #expect(Set(entries.filter { $0.hasPrefix("-") }) == Set(expected))
        let verbs = entries.filter { $0.hasSuffix("\\x0a") && !$0.hasPrefix("\\") }
        #expect(Set(verbs) == Set(commands.map { "\($0.name)\\x0a" }))
        #expect(Set(entries).count == entries.count)
    }
}
