import CofferCommands
import Glibc
import Testing

@Suite(.serialized) struct CommandTableTests {
    private func parse(_ line: [String]) throws -> CommandTable.Request {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe (["coffer"] + line).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        return try unsafe CommandTable.coffer.parse(count: Int32(line.count + 1), words: &words)
    }

    private func failure(_ line: [String]) -> Failure? {
        do {
            _ = try parse(line)
            return nil
        } catch {
            return error as? Failure
        }
    }

    @Test("options stand before and after the verb, and in any order with operands")
    func order() throws {
        for line in [
            ["--vault", "v", "help", "--json", "exit-codes"], ["help", "exit-codes", "--vault=v", "--json"],
            ["--json", "help", "--vault", "v", "exit-codes"], ["--vault=v", "help", "--json", "--", "exit-codes"],
        ] {
            guard case .run(let command, let arguments) = try parse(line) else {
                Issue.record("not a command: \(line)")
                continue
            }
            #expect(command.name == "help")
            #expect(arguments.operands == ["exit-codes"])
        }
    }

    @Test("words after two hyphens are operands, whatever they look like")
    func ends() throws {
        guard case .run(_, let arguments) = try parse(["help", "--", "--json"]) else {
            Issue.record("not a command")
            return
        }
        #expect(arguments.operands == ["--json"])
    }

    @Test("a verb is found by its own name, and there is none twice")
    func names() {
        let commands = CommandTable.coffer.commands
        for command in commands { #expect(CommandTable.coffer.command(command.name)?.name == command.name) }
        #expect(Set(commands.map(\.name)).count == commands.count)
    }

    @Test("every verb explains itself")
    func help() throws {
        for command in CommandTable.coffer.commands {
            for option in ["-h", "--help"] {
                guard case .help(let found, _) = try parse([command.name, option]) else {
                    Issue.record("no help for \(command.name)")
                    continue
                }
                #expect(found?.name == command.name)
            }
            let text = HelpText(.coffer).text(for: command)
            #expect(text.contains(command.usage))
            #expect(!command.summary.hasSuffix("."))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 }, "\(command.name)")
        }
    }

    @Test(
        "mistakes are usage failures that repeat no argument",
        arguments: [
            ["sUperSecret"], ["--sUperSecretWordThatIsQuiteLongIndeed=x", "help"], ["--json=sUperSecret", "help"],
            ["help", "a", "sUperSecret"], ["help", "--vault"], ["help", "-x"], ["help", "-xsUperSecret"],
            ["--no-input=sUperSecret", "help"], ["help", "--voult=sUperSecret"],
            ["help", "--passphrase", "sUperSecret"],
            ["help", "--secret"], ["help", "--josn-ecret"], ["help", "--js\u{F6}n-ecret"], ["help", "-ecret"],
            ["help", "--ecret"], ["help", "--\u{1B}ecret"], ["help", "--ECRET"],
            ["--vault=a", "help", "--vault=sUperSecret"], ["help", "sUperSecret", "sUperSecret"], [],
        ])
    func mistakes(line: [String]) throws {
        let failure = try #require(self.failure(line))
        #expect(failure.code == .usage)
        #expect(!"\(failure.message) \(failure.hint ?? "")".contains("ecret"))
    }

    @Test("an unknown option is repeated only where it is nearly one of ours")
    func unknown() throws {
        #expect(failure(["help", "--jsno"])?.message == "unknown option --jsno")
        #expect(failure(["help", "--jsno"])?.hint == "did you mean --json?")
        for word in ["--hunter", "--ab", "-x", "-secret", "--correct-horse", "--json2", "--Vault", "--voult\u{7}"] {
            let failure = try #require(self.failure(["help", word]))
            #expect(failure.code == .usage)
            #expect(failure.message == "there is an unknown option")
        }
    }

    @Test("words that are not UTF-8 are refused, for they would name something else")
    func encoding() throws {
        for word in [[0x61, 0xFF, 0], Array("--vault=".utf8) + [0xC3, 0]] as [[UInt8]] {
            let copy = unsafe word.withUnsafeBufferPointer { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe $0.baseAddress.flatMap { unsafe strdup($0) } }
            }
            var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("coffer"), strdup("help"), copy, nil]
            defer { unsafe words.forEach { unsafe free($0) } }
            do throws(Failure) {
                _ = try unsafe CommandTable.coffer.parse(count: 3, words: &words)
                Issue.record("taken")
            } catch {
                #expect(error.code == .usage)
            }
        }
    }

    @Test("an abbreviation is refused and the whole name is told")
    func abbreviation() throws {
        #expect(failure(["help", "--js"])?.hint == "write --json")
        #expect(failure(["help", "--vaul=x"])?.hint == "write --vault")
        #expect(failure(["help", "--vaul", "x"])?.hint == "write --vault")
    }

    @Test("a near miss is suggested", arguments: [("hepl", "help"), ("versoin", "version"), ("vers", "version")])
    func suggestion(word: String, verb: String) {
        #expect(failure([word])?.hint == "did you mean coffer \(verb)?")
    }

    @Test("the statuses are those of the format")
    func exitCodes() {
        #expect(ExitCode.allCases.map(\.rawValue) == Array(0...19) + [125, 126, 127])
        #expect(Set(ExitCode.allCases.flatMap(\.classes)).count == 29)
        #expect(HelpText.exitCodes.split(separator: "\n").count >= 23)
    }
}
