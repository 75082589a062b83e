import TestSupport
import Testing

@Suite struct GetCommandTests {
    @Test("nothing is written with zeros when one of the values cannot be", arguments: [["a", "z"], ["z", "a"]])
    func allOrNothing(names: [String]) throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "value").code == 0)
        #expect(try session.run(["set", "z", "--type", "data"], input: [1, 0, 2]).code == 0)
        let outcome = try session.run(["get"] + names + ["-0"])
        #expect(outcome.code == 17)
        #expect(outcome.bytes.isEmpty)
    }

    @Test("an object has each setting once, under the name that was asked for first")
    func once() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "a"], text: "1").code == 0)
        #expect(try session.run(["set", "\u{E9}"], text: "2").code == 0)
        #expect(try session.run(["get", "a", "a", "--json"]).output == "{\n  \"a\": \"1\"\n}\n")
        let two = try session.run(["get", "e\u{301}", "a", "\u{E9}", "a", "--json"]).bytes
        #expect(two == Array("{\n  \"e\u{301}\": \"2\",\n  \"a\": \"1\"\n}\n".utf8))
    }

    @Test("a name that begins with a dollar sign is never taken for a type")
    func dollar() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "$date"], text: "1").code == 0)
        #expect(try session.run(["set", "a"], text: "2").code == 0)
        for names in [["$date"], ["$date", "$date"]] {
            let written = try session.run(["get"] + names + ["--json"])
            #expect(written.output == "{\n  \"$$date\": \"1\"\n}\n")
            #expect(try session.run(["set", "copy", "--type", "json"], input: written.bytes).code == 0)
            #expect(try session.run(["get", "copy"]).output == "{\n  \"$$date\": \"1\"\n}")
        }
        let both = try session.run(["get", "$date", "a", "--json"])
        #expect(both.output == "{\n  \"$date\": \"1\",\n  \"a\": \"2\"\n}\n")
    }
}
