import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct SetAndGetTests {
    @Test(
        "one trailing newline of text is removed, none of data",
        arguments: [
            ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a\r", "a\r"), ("\n a \n", "\n a "),
            ("a\n\r\n", "a\n"), ("ä€😀\n", "ä€😀"), ("a\nb", "a\nb"),
        ])
    func newlines(input: String, stored: String) throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "piped"], text: input).code == 0)
        #expect(try session.value("piped") == Array(stored.utf8))
        let file = try session.fixture.file("value", Array(input.utf8))
        #expect(try session.run(["set", "file", "--file", file]).code == 0)
        #expect(try session.value("file") == Array(stored.utf8))
        #expect(try session.run(["set", "data", "--type", "data"], text: input).code == 0)
        #expect(try session.value("data") == Array(input.utf8))
        #expect(try session.run(["set", "data-file", "--type", "data", "--file", file]).code == 0)
        #expect(try session.value("data-file") == Array(input.utf8))
    }

    @Test("an output newline comes when it is asked for")
    func outputNewline() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "v").code == 0)
        #expect(try session.run(["get", "a"]).output == "v")
        #expect(try session.run(["get", "a", "--newline", "auto"]).output == "v")
        #expect(try session.run(["get", "a", "--newline=yes"]).output == "v\n")
        #expect(try session.run(["get", "a", "--newline", "yes", "-n"]).output == "v")
        #expect(try session.run(["get", "a", "--newline", "maybe"]).code == 2)
    }

    @Test("an empty value is refused and the old one stays, unless it is allowed", arguments: ["", "\n", "\r\n"])
    func empty(input: String) throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "old").code == 0)
        #expect(try session.run(["set", "a"], text: input).code == 17)
        #expect(try session.value("a") == Array("old".utf8))
        #expect(try session.run(["set", "a", "--allow-empty"], text: input).code == 0)
        #expect(try session.value("a").isEmpty)
    }

    @Test("a value of a mebibyte and one of every byte come back as they were")
    func large() throws {
        let session = try CofferSession()
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        #expect(try session.run(["set", "a", "--type", "data"], input: bytes).code == 0)
        #expect(try session.value("a") == bytes)
        let text = Array(String(repeating: "zwölf ", count: 1 << 17).utf8)
        #expect(try session.run(["set", "b"], input: text).code == 0)
        #expect(try session.value("b") == text)
    }

    @Test("more than a vault can hold is a limit, and nothing is changed")
    func tooLarge() throws {
        let session = try CofferSession()
        let outcome = try session.run(["set", "a", "--type", "data", "--file", "/dev/zero"])
        #expect(outcome.code == 6)
        #expect(try session.run(["list"]).output.isEmpty)
    }

    @Test("text that is not UTF-8 is refused as a string and taken as data")
    func notText() throws {
        let session = try CofferSession()
        let refused = try session.run(["set", "a"], input: [0x61, 0xFF])
        #expect(refused.code == 17)
        #expect(refused.messages.contains("--type data"))
        #expect(try session.run(["set", "a", "--type", "data"], input: [0x61, 0xFF]).code == 0)
    }

    @Test(
        "types",
        arguments: [
            ("integer", "-9223372036854775808", "-9223372036854775808"), ("integer", "+7\n", "7"), ("real", "1", "1.0"),
            ("real", "-inf", "-inf"), ("real", "NaN", "nan"), ("boolean", "true\n", "true"),
            ("date", "2024-02-29", "2024-02-29T00:00:00Z"),
            ("date", "1969-12-31T23:59:59.5+01:00", "1969-12-31T22:59:59.5Z"), ("json", " [1] ", "[\n  1\n]"),
            ("json", "\"x\"", "x"),
        ])
    func types(type: String, input: String, output: String) throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a", "--type", type], text: input).code == 0)
        #expect(try session.run(["get", "a"]).output == output)
    }

    @Test(
        "values that are not of their type are refused",
        arguments: [
            ("integer", "1.5"), ("integer", "9223372036854775808"), ("real", "x"), ("boolean", "yes"),
            ("date", "2024-02-30"), ("boolean", "TRUE"), ("date", "correct horse battery staple"),
            ("json", "{\"a\":null}"), ("json", "{\"a\":1,\"a\":1}"), ("json", "{"),
        ])
    func wrongTypes(type: String, input: String) throws {
        let session = try CofferSession()
        let outcome = try session.run(["set", "a", "--type", type], text: input)
        #expect(outcome.code == 17)
        #expect(!outcome.messages.contains(input))
    }

    @Test("a secret is never taken from the command line")
    func argument() throws {
        let session = try CofferSession()
        for arguments in [
            ["--value", "sUper"], ["--value=sUper", "--type", "string"], ["--value", "sUper", "--type", "json"],
            ["sUper"],
        ] {
            let outcome = try session.run(["set", "a"] + arguments)
            #expect(outcome.code == 2)
            #expect(!outcome.messages.contains("sUper"))
        }
        #expect(try session.run(["set", "a", "--value", "-5", "--type", "integer"]).code == 0)
        #expect(try session.run(["set", "b", "--value", "text", "--not-secret"]).code == 0)
        #expect(try session.run(["get", "a", "b", "--json"]).output == "{\n  \"a\": -5,\n  \"b\": \"text\"\n}\n")
    }

    @Test("a generated secret is stored and not shown")
    func generated() throws {
        let session = try CofferSession()
        let outcome = try session.run(["set", "a", "--generate"])
        #expect(outcome.code == 0)
        let value = try session.run(["get", "a"]).output
        #expect(value.count == 24)
        #expect(!outcome.messages.contains(value))
        #expect(outcome.bytes.isEmpty)
        #expect(try session.run(["set", "a", "--generate=40", "--force"]).code == 0)
        #expect(try session.run(["get", "a"]).output.count == 40)
        for length in ["7", "4097", "x", "-1"] {
            #expect(try session.run(["set", "a", "--generate=\(length)"]).code == 2)
        }
    }

    @Test("several settings come with zeros or as an object, all of them or none")
    func several() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "1\n2").code == 0)
        #expect(try session.run(["set", "b", "--type", "data"], input: [0, 255]).code == 0)
        #expect(try session.run(["get", "a", "b"]).code == 2)
        #expect(try session.run(["get", "a", "a", "-0"]).output == "1\n2\01\n2\0")
        #expect(try session.run(["get", "a", "b", "-0"]).code == 17)
        #expect(
            try session.run(["get", "b", "a", "--json"]).output
                == "{\n  \"b\": {\"$data\": \"AP8=\"},\n  \"a\": \"1\\n2\"\n}\n")
        for option in ["-0", "--json"] {
            let missing = try session.run(["get", "a", "nowhere", option])
            #expect(missing.code == 16)
            #expect(missing.bytes.isEmpty)
        }
    }

    @Test("JSON keeps types through get and set")
    func json() throws {
        let session = try CofferSession()
        let text =
            "{\"z\": [1, 1.0, true, \"ä\\u202e\"], \"d\": {\"$date\": \"2024-02-29T00:00:00Z\"}, \"b\": {\"$data\": \"AP8=\"}}"
        #expect(try session.run(["set", "a", "--type", "json"], text: text).code == 0)
        let written = try session.run(["get", "a"]).bytes
        #expect(try session.run(["set", "b", "--type", "json"], input: written).code == 0)
        #expect(try session.value("b") == written)
    }

    @Test("a lost output is never a success")
    func lostOutput() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "value").code == 0)
        for command in [
            ["get", "a"], ["get", "a", "--json"], ["list"], ["help"], ["--version"], ["inspect"],
            ["help", "exit-codes"],
        ] {
            #expect(try session.run(command, output: .file("/dev/full")).code == 15, "\(command)")
            #expect(try session.run(command, output: .closed).code == 15, "\(command)")
            #expect(try session.run(command, output: .brokenPipe).code == -SIGPIPE, "\(command)")
        }
    }

    @Test("a reader that went away is an error where its signal is ignored")
    func ignoredSignal() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "value").code == 0)
        let shell = CommandRunner("/bin/sh", environment: session.runner.environment)
        let script =
            "trap '' PIPE; exec '\(session.runner.program)' get a --passphrase-file '\(session.passphraseFile)'"
        let outcome = try shell.run(["-c", script], output: .brokenPipe)
        #expect(outcome.code == 15)
        #expect(outcome.messages.contains("not all was written"))
    }

    @Test("closed standard descriptors never become the vault")
    func closedDescriptors() throws {
        let session = try CofferSession()
        let program = session.runner.program
        let options = ["--passphrase-file", session.passphraseFile]
        for arguments in [["set", "a", "--generate"], ["get", "nowhere"], ["set", "b"], ["list"]] {
            let child = try ChildProcess(program, arguments + options, environment: session.runner.environment)
            #expect(try child.wait() != .exited(0) || arguments.contains("--generate"), "\(arguments)")
            #expect(try session.run(["check"]).code == 0)
        }
        #expect(try session.run(["list"]).output == "a\tstring\n")
        // A closed one is taken by a device before anything else is opened; the way up to it may be hidden from us.
        let seen = session.fixture.directory.appendingPathComponent("seen").path
        let command = "for n in 0 1 2; do readlink /proc/$PPID/fd/$n; done > '\(seen)' 2> /dev/null; exit 1"
        let child = try ChildProcess(
            program, ["list", "--passphrase-command", command], environment: session.runner.environment)
        #expect(try child.wait() == .exited(15))
        let links = try String(contentsOfFile: seen, encoding: .utf8)
        #expect(links.isEmpty || links == "/dev/null\n/dev/null\n/dev/null\n")
    }

    @Test("names are checked, escaped and found in any composition")
    func names() throws {
        let session = try CofferSession()
        for name in ["", "a\nb", "a\u{1B}", "\u{85}", String(repeating: "x", count: 1025)] {
            #expect(try session.run(["set", name], text: "v").code == 2, "\(name.debugDescription)")
        }
        #expect(try session.run(["set", "Zu\u{308}rich"], text: "v").code == 0)
        #expect(try session.run(["get", "Z\u{FC}rich"]).output == "v")
        #expect(try session.run(["list", "Zu\u{308}"]).output == "Z\u{FC}rich\tstring\n")
        let missing = try session.run(["get", "no\u{202E}where"])
        #expect(missing.code == 16)
        #expect(missing.messages.contains("no\\u{202E}where"))
    }

    @Test("a file that is missing is noticed before the passphrase is tried")
    func missingFile() throws {
        let session = try CofferSession()
        let wrong = try session.fixture.file("wrong", Array("not this one".utf8))
        let outcome = try session.runner.run(["set", "a", "--file", "/nowhere", "--passphrase-file", wrong])
        #expect(outcome.code == 15)
        #expect(outcome.messages.contains("/nowhere"))
    }

    @Test(
        "a date that could not be written again is refused",
        arguments: ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2001-01-01T00:00:00.00000001Z"])
    func unwritableDate(text: String) throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a", "--type", "date", "--value", text]).code == 17)
        #expect(try session.run(["get", "a"]).code == 16)
    }

    @Test("a setting that is named twice is removed once")
    func unsetTwice() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "\u{E9}"], text: "v").code == 0)
        #expect(try session.run(["unset", "\u{E9}", "absent", "\u{E9}"]).code == 16)
        #expect(try session.run(["unset", "\u{E9}", "e\u{301}", "\u{E9}"]).code == 0)
        #expect(try session.run(["list"]).output.isEmpty)
    }

    @Test(
        "a cost is made of digits",
        arguments: [
            ["--cost", "+3,64M"], ["--cost", "3,+64M"], ["--cost", "3,+65536"], ["--target", "0x1p0s"],
            ["--target", "+1s"], ["--target", "1e0s"], ["--target", "infs"], ["--target", "s"], ["--target", "0x64ms"],
        ])
    func cost(options: [String]) throws {
        let session = try CofferSession(passphrase: nil)
        #expect(try session.run(["init"] + options).code == 2)
        #expect(!FileManager.default.fileExists(atPath: session.fixture.path))
    }

    @Test("a new vault whose description cannot be written is said to be made")
    func unwritableReport() throws {
        let session = try CofferSession(passphrase: nil)
        let outcome = try session.run(["init", "--cost", "3,64M", "--json"], output: .file("/dev/full"))
        #expect(outcome.code == 15)
        #expect(outcome.messages.contains("the vault is made all the same"))
        #expect(try session.run(["list"]).code == 0)
    }
}
