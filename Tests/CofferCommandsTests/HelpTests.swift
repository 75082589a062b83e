import CofferCommands
import Foundation
import TestSupport
import Testing

/// What the help says, and that the README says the same.
@Suite struct HelpTests {
    private func help(_ topic: String...) throws -> String {
        // Lines are broken for the screen.
        try CommandRunner("coffer").run(["help"] + topic).output.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    @Test("the README and the program explain every exit code in the same words")
    func readme() throws {
        let readme = try String(contentsOf: Repository.root.appendingPathComponent("README.md"), encoding: .utf8)
        let rows = readme.split(separator: "\n").compactMap {
            line -> (code: Int32, classes: String, meaning: String)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 3, let code = Int32(cells[0]) else { return nil }
            return (code, cells[1], cells[2])
        }
        #expect(rows.map(\.code) == ExitCode.allCases.map(\.rawValue))
        for row in rows {
            let code = try #require(ExitCode(rawValue: row.code))
            #expect(row.classes == code.classes.joined(separator: ", "))
            #expect(row.meaning == code.meaning)
        }
        let text = try help("exit-codes")
        for code in ExitCode.allCases {
            #expect(text.contains("\(code.rawValue) \(code.classes.joined(separator: ", ")): \(code.meaning)"))
        }
    }

    @Test("the README shows a wrong passphrase as the program does")
    func wrongPassphrase() throws {
        let readme = try String(contentsOf: Repository.root.appendingPathComponent("README.md"), encoding: .utf8)
        let session = try CofferSession()
        let wrong = try session.fixture.file("wrong", Array("not the one".utf8))
        let outcome = try session.runner.run(["get", "mail/password", "--passphrase-file", wrong])
        let place = "/home/alice/.local/share/coffer/default.coffer"
        let told = outcome.messages.replacingOccurrences(of: session.fixture.path, with: place)
        #expect(outcome.code == 8 && told.contains("hint: "))
        #expect(readme.contains("\n" + told), "\(told)")
    }

    @Test("what this version cannot give is marked as reserved")
    func reserved() {
        let marked = ExitCode.allCases.filter { $0.meaning.contains("reserved: not in this version") }
        #expect(marked.map(\.rawValue) == [11, 12, 125, 126, 127])
        #expect(ExitCode.notFresh.meaning.contains("rekeyed is reserved: not in this version"))
    }

    @Test("set says that it replaces, and how passphrase and value come together")
    func set() throws {
        let text = try help("set")
        #expect(text.contains("A setting of that name is replaced, also one of another type."))
        #expect(text.contains("printf 'pass\\nvalue' | coffer set b --passphrase-fd 0"))
    }

    @Test("passphrase says how the cost alone is changed, and how both passphrases come together")
    func passphrase() throws {
        let text = try help("passphrase")
        #expect(text.contains("To change the cost alone, give the same passphrase again"))
        #expect(text.contains("printf 'old\\nnew\\n' | coffer passphrase --passphrase-fd 0"))
    }

    @Test("the default place is named in the overview and for every verb")
    func place() throws {
        let place = "$XDG_DATA_HOME/coffer/default.coffer, else ~/.local/share/coffer/default.coffer"
        #expect(try help().contains(place))
        #expect(try help("get").contains(place))
    }

    @Test("the commands are told to programs", arguments: [["help", "--json"], ["--json", "--help"]])
    func commands(words: [String]) throws {
        let outcome = try CommandRunner("coffer").run(words)
        let rows = try JSONSerialization.jsonObject(with: Data(outcome.bytes)) as? [[String: Any]]
        #expect(rows?.compactMap { $0["name"] as? String } == CommandTable.coffer.commands.map(\.name))
    }

    @Test(
        "one command is told to programs",
        arguments: [["help", "set", "--json"], ["--json", "set", "-h"], ["help", "--json", "set"]])
    func command(words: [String]) throws {
        let outcome = try CommandRunner("coffer").run(words)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.bytes)) as? [String: Any]
        #expect(object?["name"] as? String == "set")
        let options = object?["options"] as? [[String: Any]]
        #expect(options?.contains { $0["name"] as? String == "--generate" } == true)
        #expect((object?["usage"] as? String)?.hasPrefix("coffer set") == true)
    }

    @Test("verbs without JSON refuse the option", arguments: ["set", "unset", "rename", "passphrase"])
    func refused(verb: String) throws {
        let words = ["unset": ["a"], "set": ["a"], "rename": ["a", "b"]][verb] ?? []
        #expect(try CommandRunner("coffer").run([verb] + words + ["--json"]).code == 2)
        #expect(try CommandRunner("coffer").run(["--json", verb] + words).code == 2)
    }
}
