import CofferCommands
import Foundation
import TestSupport
import Testing

/// The published format and the program give each failure class the same code.
@Suite struct FormatTableTests {
    @Test("the table of failure classes in the format is the program's")
    func classes() throws {
        let path = "Sources/Coffer/Coffer.docc/FileFormat.md"
        let text = try String(contentsOf: Repository.root.appendingPathComponent(path), encoding: .utf8)
        let parts = text.components(separatedBy: "\n## Failure classes and exit codes\n")
        try #require(parts.count == 2)
        let section = parts[1].components(separatedBy: "\n## ")[0]
        var found: [Int32: [String]] = [:]
        for line in section.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, let code = Int32(cells[1]) else { continue }
            found[code, default: []] += cells[2].isEmpty ? [] : cells[2].components(separatedBy: ", ")
        }
        #expect(found.keys.sorted() == ExitCode.allCases.map(\.rawValue))
        for code in ExitCode.allCases {
            // The format speaks of files: what only a program can say has no class there.
            let own = code.rawValue >= 125 ? code.classes : ["savedButNotSynced", "outcomeUnknown"]
            #expect(found[code.rawValue] == code.classes.filter { !own.contains($0) }, "\(code)")
        }
        // Every class that a vector can show is in it.
        let classes = Set(found.values.joined())
        for expectation in VectorExpectation.allCases { #expect(classes.contains(expectation.rawValue)) }
    }
}
