import TestSupport
import Testing

/// What `set` does to a setting that is there already, and what it says of it.
@Suite struct ReplacementTests {
    @Test("a setting that changes its type is said to be replaced, one that keeps it is not")
    func type() throws {
        let session = try CofferSession()
        let number = ["--type", "integer", "--value", "3"]
        #expect(try !session.run(["set", "x"] + number).messages.contains("replaced"))
        #expect(try !session.run(["set", "x"] + number).messages.contains("replaced"))
        let text = try session.run(["set", "x"], text: "three")
        #expect(text.code == 0)
        #expect(text.messages.contains("coffer: replaced \"x\" (was integer)\n"))
        #expect(try session.run(["set", "x", "-q"] + number).messages.isEmpty)
        #expect(try session.run(["set", "x", "--type", "json"], text: "[1]").messages.contains("(was integer)"))
        #expect(try session.run(["set", "x", "--type", "json"], text: "{}").messages.contains("(was array)"))
    }

    @Test("a generated secret replaces a setting only when told to, and says so")
    func generated() throws {
        let session = try CofferSession()
        #expect(try session.run(["set", "Z\u{FC}rich"], text: "old").code == 0)
        let refused = try session.run(["set", "Zu\u{308}rich", "--generate"])
        #expect(refused.code == 17)
        #expect(refused.messages.contains("--force"))
        #expect(try session.value("Z\u{FC}rich") == Array("old".utf8))
        let forced = try session.run(["set", "Z\u{FC}rich", "--generate", "--force"])
        #expect(forced.code == 0)
        #expect(forced.messages.contains("coffer: replaced \"Z\u{FC}rich\" (was string)\n"))
        #expect(try session.value("Z\u{FC}rich").count == 24)
        #expect(try session.run(["set", "new", "--generate", "-f"]).code == 0)
    }
}
