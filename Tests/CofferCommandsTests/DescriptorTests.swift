import TestSupport
import Testing

@Suite struct DescriptorTests {
    @Test("a closed descriptor is refused before a file of ours can get its number")
    func closed() throws {
        let session = try CofferSession()
        let file = try session.fixture.file("value", Array("\(TemporaryVault.passphrase)\nrest".utf8))
        let set = try session.runner.run(["set", "b", "--file", file, "--passphrase-fd", "3"])
        #expect(set.code == 15)
        #expect(set.messages.contains("--passphrase-fd"), "\(set.messages)")
        #expect(try session.run(["list"]).bytes.isEmpty)
        // Nor can it be the pipe of the command that gives the other passphrase.
        let change = try session.run(["passphrase", "--cost", "3,64M", "--new-passphrase-fd", "3"])
        #expect(change.code == 15)
        #expect(change.messages.contains("--new-passphrase-fd"), "\(change.messages)")
        #expect(try session.run(["list"]).code == 0)
    }

    @Test("a closed standard input gives no passphrase")
    func closedInput() throws {
        let session = try CofferSession()
        let file = try session.fixture.file("value", Array("\(TemporaryVault.passphrase)\nrest".utf8))
        let outcome = try session.runner.run(["set", "b", "--file", file, "--passphrase-fd", "0"], input: nil)
        #expect(outcome.code == 15)
        #expect(try session.run(["list"]).bytes.isEmpty)
    }
}
