import Foundation
import TestSupport
import Testing

@Suite struct PassphraseSourceTests {
    private static let passphrase = TemporaryVault.passphrase

    @Test("a file gives its contents less one trailing newline", arguments: ["", "\n", "\r\n"])
    func file(newline: String) throws {
        let session = try CofferSession()
        let path = try session.fixture.file("other", Array((Self.passphrase + newline).utf8))
        let outcome = try session.runner.run(["list", "--passphrase-file", path])
        #expect(outcome.code == 0)
    }

    @Test("nothing else is trimmed", arguments: ["\n\n", "\r", " ", "\n\r\n", "\t"])
    func untrimmed(end: String) throws {
        let session = try CofferSession()
        let path = try session.fixture.file("other", Array((Self.passphrase + end).utf8))
        #expect(try session.runner.run(["list", "--passphrase-file", path]).code == 8)
        let command = try session.runner.run(["list", "--passphrase-command", "cat '\(path)'"])
        #expect(command.code == 8)
    }

    @Test("a descriptor gives its first line, and the rest of it is the value", arguments: ["\n", "\r\n"])
    func descriptor(newline: String) throws {
        let session = try CofferSession()
        let input = Array((Self.passphrase + newline + "first\nsecond\n").utf8)
        let set = try session.runner.run(["set", "a", "--passphrase-fd", "0"], input: input)
        #expect(set.code == 0)
        #expect(try session.value("a") == Array("first\nsecond".utf8))
        let other = try session.runner.run(
            ["set", "b", "--passphrase-fd", "7"], input: Array("value".utf8),
            descriptors: [7: Array(Self.passphrase.utf8)])
        #expect(other.code == 0)
        #expect(try session.value("b") == Array("value".utf8))
    }

    @Test("a command gives what it prints, and gets neither our descriptors nor the value")
    func command() throws {
        let session = try CofferSession()
        let seen = session.fixture.directory.appendingPathComponent("seen").path
        let script = "cat > '\(seen)'; ls /proc/self/fd >> '\(seen)'; echo '\(Self.passphrase)'"
        let outcome = try session.runner.run(
            ["set", "a", "--passphrase-command", script], input: Array("value".utf8))
        #expect(outcome.code == 0)
        #expect(try session.value("a") == Array("value".utf8))
        let descriptors = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n").compactMap {
            Int($0)
        }
        #expect(descriptors.allSatisfy { $0 <= 3 }, "\(descriptors)")
    }

    @Test("a command that fails is an error, whatever it printed")
    func failingCommand() throws {
        let session = try CofferSession()
        let outcome = try session.runner.run(["list", "--passphrase-command", "echo '\(Self.passphrase)'; exit 3"])
        #expect(outcome.code == 15)
        #expect(outcome.messages.contains("status 3"))
        #expect(!outcome.messages.contains(Self.passphrase))
        let killed = try session.runner.run(["list", "--passphrase-command", "kill -9 $$"])
        #expect(killed.code == 15)
        #expect(killed.messages.contains("signal 9"))
    }

    @Test("the same text in any composition opens the vault")
    func composition() throws {
        let composed = "Z\u{FC}rich liegt am \u{1E9B}\u{323} See"
        let session = try CofferSession(passphrase: composed.precomposedStringWithCanonicalMapping)
        let path = try session.fixture.file("other", Array(composed.decomposedStringWithCanonicalMapping.utf8))
        #expect(try session.runner.run(["list", "--passphrase-file", path]).code == 0)
    }

    @Test("lengths outside the format are refused before anything is derived")
    func lengths() throws {
        let session = try CofferSession()
        for (length, code) in [(0, 17), (1, 8), (1024, 8), (1025, 17), (16_384, 17), (100_000, 17)] as [(Int, Int32)] {
            let path = try session.fixture.file("other", Array(repeating: 0x61, count: length))
            #expect(try session.runner.run(["list", "--passphrase-file", path]).code == code, "\(length)")
            let outcome = try session.runner.run(
                ["list", "--passphrase-fd", "5"], descriptors: [5: Array(repeating: 0x61, count: length)])
            #expect(outcome.code == code, "\(length)")
        }
        let decomposed = String(repeating: "a\u{308}", count: 512)
        let path = try session.fixture.file("other", Array(decomposed.utf8))
        #expect(try session.runner.run(["list", "--passphrase-file", path]).code == 8)
    }

    @Test("bytes that are no text are a passphrase too")
    func bytes() throws {
        let session = try CofferSession(passphrase: nil)
        let path = try session.fixture.file("other", [0xFF, 0x00, 0xFE] + Array(Self.passphrase.utf8))
        let outcome = try session.runner.run(["init", "--cost", "3,64M", "--passphrase-file", path])
        #expect(outcome.code == 0)
        #expect(try session.runner.run(["list", "--passphrase-file", path]).code == 0)
        #expect(try session.run(["list"]).code == 8)
    }

    private static let mistaken: [(options: [String], code: Int32)] = [
        (["--passphrase-fd", "x"], 2), (["--passphrase-fd", "-1"], 2), (["--passphrase-fd", "1"], 2),
        (["--passphrase-fd", "99"], 15), (["--passphrase-file", "/nowhere/p"], 15), (["--passphrase-file", "/"], 15),
        (["--passphrase-file", "a", "--passphrase-fd", "0"], 2), (["--no-input"], 14), ([], 14),
    ]

    @Test("wrong uses are told apart", arguments: mistaken)
    func mistakes(options: [String], code: Int32) throws {
        let session = try CofferSession()
        let outcome = try session.runner.run(["list"] + options)
        #expect(outcome.code == code)
        #expect(outcome.bytes.isEmpty)
        #expect(outcome.messages.hasPrefix("coffer: "))
        if code == 14 { #expect(outcome.messages.contains("--passphrase-file")) }
    }

    @Test("a terminal is no file", arguments: ["--passphrase-file", "--new-passphrase-file", "--file"])
    func terminal(option: String) throws {
        let session = try CofferSession()
        let terminal = try PseudoTerminal()
        let command = option == "--file" ? ["set", "a"] : option == "--passphrase-file" ? ["list"] : ["passphrase"]
        let current = option == "--passphrase-file" ? [] : ["--passphrase-file", session.passphraseFile]
        let outcome = try session.runner.run(command + current + [option, terminal.path])
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("is a terminal"))
        #expect(terminal.echoes)
    }

    @Test("a weak new passphrase is refused unless it is allowed")
    func weak() throws {
        let session = try CofferSession(passphrase: nil)
        let path = try session.fixture.file("weak", Array("password1234".utf8))
        let refused = try session.runner.run(["init", "--cost", "3,64M", "--passphrase-file", path])
        #expect(refused.code == 17)
        #expect(!FileManager.default.fileExists(atPath: session.fixture.path))
        #expect(!refused.messages.contains("password1234"))
        let allowed = try session.runner.run(
            ["init", "--cost", "3,64M", "--allow-weak", "--passphrase-file", path])
        #expect(allowed.code == 0)
    }

    @Test("the passphrase changes, from two lines of one descriptor or from a source of its own")
    func change() throws {
        let session = try CofferSession()
        let second = "quite different words here"
        let change = ["passphrase", "--cost", "3,64M"]
        let lines = try session.runner.run(
            change + ["--passphrase-fd", "0"], input: Array("\(Self.passphrase)\n\(second)\n".utf8))
        #expect(lines.code == 0)
        #expect(try session.run(["list"]).code == 8)
        let secondFile = try session.fixture.file("second", Array(second.utf8))
        let back = try session.runner.run(
            change + ["--passphrase-file", secondFile, "--new-passphrase-file", session.passphraseFile])
        #expect(back.code == 0)
        #expect(try session.run(["list"]).code == 0)
        let oneLine = try session.runner.run(
            ["passphrase", "--passphrase-fd", "0"], input: Array("\(Self.passphrase)\n".utf8))
        #expect(oneLine.code == 14)
        let named = try session.runner.run(
            change + ["--passphrase-fd", "0", "--new-passphrase-fd", "0"],
            input: Array("\(Self.passphrase)\n\(second)".utf8))
        #expect(named.code == 0)
        #expect(try session.runner.run(["list", "--passphrase-file", secondFile]).code == 0)
    }
}
