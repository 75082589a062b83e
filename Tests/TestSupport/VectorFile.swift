package import Foundation

/// A file that says in a few lines what must come of the vault that follows them.
///
/// Specified in the file format, *Test vectors*. A file that strays from the form is an error with its line, since a test
/// that overlooks a word tests less than it says.
package struct VectorFile: Sendable {
    /// Where a vector stands; it is read when it is its turn.
    package struct Place: Hashable, Sendable, CustomStringConvertible {
        package let folder: String
        package let name: String

        package init(_ folder: String, _ name: String) { (self.folder, self.name) = (folder, name) }

        package var description: String { "\(folder)/\(name)" }
        package var url: URL { Repository.vectors.appendingPathComponent(folder).appendingPathComponent(name) }

        package func load() throws -> VectorFile { try VectorFile([UInt8](Data(contentsOf: url)), named: description) }
    }

    /// What is wrong with a vector file.
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let file: String
        /// From 1; the line after the last one if something is missing.
        package let line: Int
        package let reason: String

        package var description: String { "\(file):\(line): \(reason)" }
    }

    enum Value: Sendable {
        case text(String)
        case number(UInt64)
        case bytes([UInt8])
        case list(PlainValue)
    }

    package let name: String
    package let expectation: VectorExpectation
    /// The vault, without the zeros that may have to follow.
    package let body: [UInt8]
    let words: [VectorWord: [Value]]

    init(name: String, expectation: VectorExpectation, body: [UInt8], words: [VectorWord: [Value]]) {
        self.name = name
        self.expectation = expectation
        self.body = body
        self.words = words
    }
}

extension VectorFile {
    package func has(_ word: VectorWord) -> Bool { words[word] != nil }

    package func text(_ word: VectorWord) -> String? {
        guard case .text(let text)? = words[word]?.first else { return nil }
        return text
    }

    package func number(_ word: VectorWord) -> UInt64? {
        guard case .number(let number)? = words[word]?.first else { return nil }
        return number
    }

    package func bytes(_ word: VectorWord) -> [UInt8]? { allBytes(word).first }

    package func allBytes(_ word: VectorWord) -> [[UInt8]] {
        (words[word] ?? []).compactMap { value in
            guard case .bytes(let bytes) = value else { return nil }
            return bytes
        }
    }

    package func list(_ word: VectorWord) -> PlainValue? {
        guard case .list(let value)? = words[word]?.first else { return nil }
        return value
    }

    /// The bytes of the passphrase; nil where a code is given instead.
    package var passphrase: [UInt8]? { text(.passphrase).map { Array($0.utf8) } ?? bytes(.passphraseHex) }

    /// All bytes of the vault, with the zeros.
    package var vault: [UInt8] { body + [UInt8](repeating: 0, count: Int(number(.appendZeros) ?? 0)) }
}

extension VectorFile {
    /// The vectors of a folder, by what is there. A folder that is missing or empty is an error.
    package static func places(in folder: String) throws -> [Place] {
        let path = Repository.vectors.appendingPathComponent(folder).path
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        guard !names.isEmpty else { throw Malformed(file: folder, line: 0, reason: "there is no vector in the folder") }
        return names.map { Place(folder, $0) }
    }

    /// The vectors of some folders, as arguments of a test; another test must see to it that none is missing.
    package static func all(in folders: [String]) -> [Place] { folders.flatMap { (try? places(in: $0)) ?? [] } }

    package static let folders = ["v1", "independent", "golden"]

    /// Every vector there is.
    package static let everywhere = all(in: folders)
}
