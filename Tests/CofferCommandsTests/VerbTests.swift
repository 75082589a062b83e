import Foundation
import TestSupport
import Testing

@Suite struct VerbTests {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("init makes the default directories for the user alone, and overwrites nothing")
    func initialize() throws {
        let session = try CofferSession(passphrase: nil)
        let home = session.fixture.directory.path
        var runner = session.runner
        runner.environment["COFFER_VAULT"] = nil
        let options = ["--passphrase-file", session.passphraseFile, "--cost", "3,64M"]
        let made = try runner.run(["init", "--json"] + options)
        let path = home + "/.local/share/coffer/default.coffer"
        #expect(made.code == 0)
        #expect(made.output == "{\n  \"path\": \"\(path)\",\n  \"passes\": 3,\n  \"memoryKiB\": 65536\n}\n")
        #expect(made.messages.contains("backup") && made.messages.contains("lost"))
        #expect(try mode(path) == 0o600)
        for directory in ["/.local", "/.local/share", "/.local/share/coffer"] {
            #expect(try mode(home + directory) == 0o700)
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let again = try runner.run(["init"] + options)
        #expect(again.code == 17)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        runner.environment["XDG_DATA_HOME"] = home + "/data"
        let quiet = try runner.run(["init", "-q"] + options)
        #expect(quiet.code == 0)
        #expect(quiet.messages.isEmpty && quiet.bytes.isEmpty)
        #expect(FileManager.default.fileExists(atPath: home + "/data/coffer/default.coffer"))
    }

    @Test(
        "costs that the format does not allow are usage failures",
        arguments: [
            "", "3", "2,64M", "17,64M", "3,63M", "5,1G", "x,64M", "3,64X", "weak", "3,4294967296K", "4294967296,64M",
        ])
    func costs(cost: String) throws {
        let session = try CofferSession(passphrase: nil)
        #expect(try session.run(["init", "--cost", cost]).code == 2)
        #expect(!FileManager.default.fileExists(atPath: session.fixture.path))
    }

    @Test("a cost is measured for a time", arguments: ["50ms", "0.2s"])
    func target(time: String) throws {
        let session = try CofferSession(passphrase: nil)
        #expect(try session.run(["init", "--target", time]).code == 0)
        let inspection = try session.run(["inspect", "--json"]).output
        #expect(inspection.contains("\"passes\": "))
        #expect(try session.run(["init", "--target", "1h"]).code == 2)
        #expect(try session.run(["init", "--target", "1s", "--cost", "moderate"]).code == 2)
    }

    @Test("the vault is the option's, else the variable's, else the default, and no home is needed")
    func selection() throws {
        let session = try CofferSession()
        var runner = session.runner
        runner.environment["COFFER_VAULT"] = "/nowhere/from-variable"
        let options = ["--passphrase-file", session.passphraseFile]
        #expect(try runner.run(["list", "--vault", session.fixture.path] + options).code == 0)
        let variable = try runner.run(["list"] + options)
        #expect(variable.code == 19)
        #expect(variable.messages.contains("/nowhere/from-variable"))
        #expect(try runner.run(["list", "--vault", ""] + options).code == 2)
        // Without a home, only a vault that is named: the default would be that of whoever runs the tests.
        runner.environment["HOME"] = nil
        #expect(try runner.run(["list", "--vault", session.fixture.path] + options).code == 0)
        runner.environment["COFFER_VAULT"] = nil
        let home = session.fixture.directory.path
        runner.environment["HOME"] = home
        for (data, place) in [("relative", home + "/.local/share"), (home + "/data", home + "/data")] {
            runner.environment["XDG_DATA_HOME"] = data
            let outcome = try runner.run(["list"] + options)
            #expect(outcome.code == 19)
            #expect(outcome.messages.contains("\"\(place)/coffer/default.coffer\""))
        }
    }

    @Test("list shows names and types in order, and never values")
    func list() throws {
        let session = try CofferSession()
        for (name, type) in [("b/2", "integer"), ("b/1", "real"), ("a", "boolean")] {
            let value = ["integer": "4711", "real": "47.25", "boolean": "true"][type] ?? ""
            #expect(try session.run(["set", name, "--type", type, "--value", value]).code == 0)
        }
        #expect(try session.run(["list"]).output == "a\tboolean\nb/1\treal\nb/2\tinteger\n")
        #expect(try session.run(["list", "b/"]).output == "b/1\treal\nb/2\tinteger\n")
        #expect(try session.run(["list", "c"]).output.isEmpty)
        let json = try session.run(["list", "a", "--json"]).output
        #expect(json.hasPrefix("[\n  {\n    \"name\": \"a\",\n    \"type\": \"boolean\",\n    \"modified\": \"2"))
        #expect(json.hasSuffix("Z\"\n  }\n]\n"))
        #expect(try session.run(["list", "c", "--json"]).output == "[]\n")
    }

    @Test("rename keeps the value and replaces nothing unless told")
    func rename() throws {
        let session = try CofferSession()
        for name in ["a", "b"] { #expect(try session.run(["set", name], text: "of \(name)").code == 0) }
        #expect(try session.run(["rename", "a", "b"]).code == 17)
        #expect(try session.run(["rename", "nowhere", "c"]).code == 16)
        #expect(try session.run(["rename", "a", "x\u{7}"]).code == 2)
        #expect(try session.run(["rename", "a", "a"]).code == 0)
        #expect(try session.run(["rename", "a", "c"]).code == 0)
        #expect(try session.run(["rename", "c", "b", "--force"]).code == 0)
        #expect(try session.run(["list"]).output == "b\tstring\n")
        #expect(try session.run(["get", "b"]).output == "of a")
    }

    @Test("unset removes all names or none")
    func unset() throws {
        let session = try CofferSession()
        for name in ["a", "b", "c"] { #expect(try session.run(["set", name], text: "v").code == 0) }
        let missing = try session.run(["unset", "a", "nowhere"])
        #expect(missing.code == 16)
        #expect(missing.messages.contains("nowhere"))
        #expect(try session.run(["unset", "a", "b"]).code == 0)
        #expect(try session.run(["list"]).output == "c\tstring\n")
    }

    @Test("check and inspect need no passphrase and tell damage from other files")
    func check() throws {
        let session = try CofferSession()
        let whole = try session.runner.run(["check"])
        #expect(whole.code == 0)
        #expect(whole.output.contains("whole"))
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: session.fixture.path)))
        bytes[200] ^= 1
        let damaged = try session.fixture.file("damaged", bytes)
        let other = try session.fixture.file("other", Array("nothing of ours".utf8))
        for verb in ["check", "inspect"] {
            #expect(try session.runner.run([verb, damaged]).code == 5)
            #expect(try session.runner.run([verb, other]).code == 3)
            #expect(try session.runner.run([verb, "/nowhere/file"]).code == 19)
        }
        let json = try session.runner.run(["inspect", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
        #expect(object?["passes"] as? Int == 1)
        #expect(object?["memoryKiB"] as? Int == 8192)
        #expect((object?["salt"] as? String)?.count == 32)
        // A damaged vault is found before anybody is asked for a passphrase.
        #expect(try session.runner.run(["list", "--vault", damaged]).code == 5)
    }

    @Test("a cheap passphrase and wide permissions are warned of, on standard error")
    func warnings() throws {
        let session = try CofferSession()
        let cheap = try session.run(["list"])
        #expect(cheap.code == 0)
        #expect(cheap.messages.contains("cheap to guess"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: session.fixture.path)
        #expect(try session.run(["list"]).messages.contains("mode 644"))
        #expect(try session.run(["list", "-q"]).messages.isEmpty)
    }

    @Test("the statuses are told to people and programs")
    func exitCodes() throws {
        let session = try CofferSession()
        #expect(try session.runner.run(["help", "exit-codes"]).output.contains("  8  wrongPassphrase: "))
        let json = try session.runner.run(["help", "exit-codes", "--json"])
        let rows = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [[String: Any]]
        #expect(rows?.count == 23)
        #expect(try session.runner.run([]).code == 2)
        #expect(try session.runner.run([]).bytes.isEmpty)
    }
}
