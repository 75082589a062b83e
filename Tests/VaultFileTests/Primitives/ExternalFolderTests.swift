import Foundation
import TestSupport
import Testing

/// No file of the public vectors lies unused, and the README tells what is there.
@Suite struct ExternalFolderTests {
    @Test("every file is loaded by a suite of its own", arguments: ExternalFile.allCases)
    func loading(of file: ExternalFile) throws {
        let tests = Repository.root.appendingPathComponent("Tests/VaultFileTests/Primitives")
        let names = try FileManager.default.contentsOfDirectory(atPath: tests.path).filter { $0.hasSuffix(".swift") }
        let loads = try names.map { try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8) }
            .flatMap { $0.split(separator: "\n") }
            .filter { line in line.contains("try ExternalFile.\(file).load(") && !line.contains("//") }
        #expect(!loads.isEmpty)
    }

    @Test("every file is one that a suite can load, and is in the README with its number of entries")
    func files() throws {
        let folder = ExternalFile.folder
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(Set(names) == Set(ExternalFile.allCases.map(\.rawValue)))
        let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        var counts: [String: Int] = [:]
        for line in readme.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasSuffix(".json`"), let count = Int(cells[2]) else { continue }
            counts[cells[0].trimmingCharacters(in: ["`"])] = count
        }
        #expect(Set(counts.keys) == Set(names))
        for name in names {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            let top = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let entries = top.filter { $0.key != "notes" }.values.compactMap { ($0 as? [Any])?.count }.reduce(0, +)
            #expect(counts[name] == entries, "\(name)")
        }
    }
}
