import TestSupport
import Testing

/// What is wrong with the file is said before what is wrong with the passphrase.
@Suite struct ReadingOrderTests {
    @Test("the file is judged before the passphrase for it", arguments: [0, 1025, 100_000])
    func fileFirst(length: Int) throws {
        let session = try CofferSession()
        let passphrase = try session.fixture.file("other", Array(repeating: 0x61, count: length))
        let whole = try session.fixture.bytes()
        var damaged = whole
        damaged[whole.count - 1] ^= 1
        var foreign = whole
        foreign[0] ^= 1
        for (bytes, code) in [(whole, 17), (damaged, 5), (foreign, 3)] as [([UInt8], Int32)] {
            try session.fixture.write(bytes)
            let sources = [["--passphrase-file", passphrase], ["--passphrase-command", "cat '\(passphrase)'"]]
            for source in sources {
                #expect(try session.runner.run(["list"] + source).code == code, "\(source)")
                let change = ["passphrase", "--new-passphrase-file", session.passphraseFile]
                #expect(try session.runner.run(change + source).code == code, "\(source)")
            }
        }
        let missing = ["list", "--vault", session.fixture.path + ".none", "--passphrase-file", passphrase]
        #expect(try session.runner.run(missing).code == 19)
    }

    @Test("a passphrase that cannot be had is no reason to keep silent about the file")
    func sourceLast() throws {
        let session = try CofferSession()
        let seen = session.fixture.path + ".seen"
        let missing = ["list", "--vault", session.fixture.path + ".none"]
        #expect(try session.runner.run(missing + ["--passphrase-file", "/nowhere"]).code == 19)
        #expect(try session.runner.run(missing + ["--passphrase-command", "touch '\(seen)'"]).code == 19)
        #expect(try !session.fixture.files().contains("test.coffer.seen"))
        #expect(try session.runner.run(missing + ["--passphrase-file", "a", "--passphrase-command", "b"]).code == 2)
    }
}
