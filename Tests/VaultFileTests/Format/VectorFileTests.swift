import TestSupport
import Testing

/// The reader of the vectors takes nothing that strays from their form: what it overlooked would not be tested.
@Suite struct VectorFileTests {
    private static let start = "comment: what it is about\nexpect: damaged\npassphrase: a b\n"

    private static func read(_ header: String, _ body: [UInt8] = [1, 2]) throws -> VectorFile {
        try VectorFile(Array(header.utf8) + body, named: "v1/area_case")
    }

    @Test("words, passphrase and vault come out as they stand there")
    func good() throws {
        let vector = try Self.read(Self.start + "append-zeros: 3\n\n", [0x0A, 0xFF])
        #expect(vector.expectation == .damaged)
        #expect(vector.text(.comment) == "what it is about")
        #expect(vector.passphrase == Array("a b".utf8))
        #expect(vector.vault == [0x0A, 0xFF, 0, 0, 0])
        let refused = try Self.read("comment: c\nexpect: refused\npassphrase-hex: none\n\n", [])
        #expect(refused.passphrase == [] && refused.vault == [])
        let old = try Self.read("comment: c\nexpect: unsupportedVersion\nvalue: 2\npassphrase-hex: 00ff\n\n")
        #expect(old.passphrase == [0, 0xFF] && old.number(.value) == 2)
        let known = [
            "known-generation: 2", "known-check: ", "known-commitment: ", "known-replaced: ", "known-replaced: ",
        ]
        let digests = known.map { $0.hasSuffix(" ") ? $0 + String(repeating: "0a", count: 32) : $0 }
        let id = "known-vault-id: " + String(repeating: "01", count: 16)
        let seen = try Self.read(Self.start + ([id] + digests).joined(separator: "\n") + "\n\n")
        #expect(seen.allBytes(.knownReplaced).count == 2)
    }

    /// What stands after the first three lines, and the line of the error.
    private static let additions: [(String, Int)] = [
        ("", 4), ("word: 1\n\n", 4), ("Append-Zeros: 1\n\n", 4), ("passphrase-hex: 00\n\n", 5),
        ("append-zeros: 01\n\n", 4), ("append-zeros: +1\n\n", 4), ("append-zeros: \n\n", 4), ("master: 00\n\n", 4),
        ("master: \(digits("00", 32))\n\n", 4), ("known-path-id: \(digits("0A", 16))\n\n", 4),
        ("known-path-id: \(digits("0g", 16))\n\n", 4), ("known-path-id: \(digits("00", 15))0\n\n", 4),
        ("known-vault-id: \(digits("00", 16))\n\n", 5), ("value: 1\n\n", 4),
        ("append-zeros: 1\nappend-zeros: 1\n\n", 5), ("append-zeros: 1\nexpect: damaged\n\n", 5),
    ]

    private static let headers: [(String, Int)] = [
        ("", 1), ("comment: c\n\n", 2), ("expect: damaged\ncomment: c\npassphrase: a\n\n", 2),
        ("comment: \nexpect: damaged\npassphrase: a\n\n", 1), ("comment:c\nexpect: damaged\npassphrase: a\n\n", 1),
        ("comment: c\ncomment: c\nexpect: damaged\npassphrase: a\n\n", 2), ("comment: c\nexpect: ok\n\n", 2),
        ("comment: c\nexpect: damaged\n\n", 3), ("comment: c\nexpect: unsupportedVersion\npassphrase: a\n\n", 4),
        ("comment: c\nexpect: unsupportedVersion\nvalue: 2\npassphrase:  a\n\n", 4),
        ("comment: c\nexpect: damaged\npassphrase: e\u{301}\n\n", 3),
        ("comment: c\nexpect: damaged\npassphrase: a\tb\n\n", 3),
        ("comment: c\nexpect: success\npassphrase: a\n\n", 4),
        ("comment: c\r\nexpect: damaged\r\npassphrase: a\r\n\r\n", 2),
    ]

    private static func digits(_ byte: String, _ count: Int) -> String { String(repeating: byte, count: count) }

    @Test("what strays is an error with its line", arguments: headers + additions.map { (start + $0.0, $0.1) })
    func strays(header: String, line: Int) {
        do throws(VectorFile.Malformed) {
            _ = try VectorFile(Array(header.utf8) + [1], named: "v1/area_case")
            Issue.record("it was taken")
        } catch {
            #expect(error.line == line, "\(error)")
            #expect("\(error)".hasPrefix("v1/area_case:\(line): "))
        }
    }

    @Test("names and text that are not allowed are errors", arguments: ["v1/Area", "v1/a.b", "v1/", ".hidden", "a b"])
    func names(name: String) {
        let file = Array((Self.start + "\n").utf8)
        #expect(throws: VectorFile.Malformed.self) { try VectorFile(file, named: name) }
        #expect(throws: VectorFile.Malformed.self) { try VectorFile([0xFF, 0x0A, 0x0A], named: "a") }
    }

    @Test("a folder that is not there is an error")
    func folder() {
        #expect(throws: (any Error).self) { try VectorFile.places(in: "nowhere") }
    }

    @Test(
        "values are read with their types",
        arguments: [
            ("{}", .dictionary([:])), ("[true,false,-1]", .array([.boolean(true), .boolean(false), .integer(-1)])),
            ("9007199254740992", .integer(1 << 53)), (#"{"$int":"9007199254740993"}"#, .integer((1 << 53) + 1)),
            (#"{"$real":"8000000000000000"}"#, .real(1 << 63)), (#"{"$date":"3ff0000000000000"}"#, .date(0x3FF0 << 48)),
            (#"{"$data":""}"#, .data([])), (#""a\u0301\ud83d\udd11\n""#, .string("a\u{301}\u{1F511}\n")),
            (#"{"":1,"$a":2}"#, .dictionary([[]: .integer(1), [0x24, 0x61]: .integer(2)])),
        ] as [(String, PlainValue)])
    func json(text: String, value: PlainValue) {
        #expect(PlainValue(json: Array(text.utf8)) == value)
    }

    @Test(
        "JSON of another spelling is refused",
        arguments: [
            "", " {}", "{} ", "{\"a\": 1}", "[1, 2]", "1.0", "1e3", "+1", "01", "-0", "null", "9007199254740993",
            "[1,]",
            #"{"b":1,"a":2}"#, #"{"a":1,"a":2}"#, #"{"$int":"1"}"#, #"{"$int":"9223372036854775808"}"#, #"{"$a":1}"#,
            #"{"$data":"F0"}"#, #"{"$data":"0"}"#, #"{"$real":"3ff"}"#, #""\ud800""#, "\"é\"", #""\x""#, "\"", "[", "{",
            String(repeating: "[", count: 100),
        ])
    func spelling(text: String) {
        #expect(PlainValue(json: Array(text.utf8)) == nil)
    }
}
