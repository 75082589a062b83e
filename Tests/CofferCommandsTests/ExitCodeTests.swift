import Coffer
import CofferCommands
import Foundation
import Glibc
import TestSupport
import Testing

/// Every failure class comes from a real file or situation, through the command line, with its exit code.
@Suite struct ExitCodeTests {
    static let codes: [String: Int32] = [
        "success": 0, "notAVault": 3, "unsupportedVersion": 4, "unsupportedFeature": 4, "damaged": 5,
        "limitExceeded": 6,
        "wrongPassphrase": 8, "tampered": 9, "invalidContents": 10, "refused": 17,
    ]

    /// The vectors of the independent writer that a passphrase decides; those with a recovery code have no verb yet.
    static let vectors = VectorFile.all(in: ["independent"]).filter { (try? $0.load().passphrase) != nil }

    @Test("the vectors are there, and show every class that a file can show")
    func present() throws {
        #expect(Self.vectors.count >= 80)
        #expect(Set(try Self.vectors.map { try $0.load().expectation.rawValue }) == Set(Self.codes.keys))
    }

    @Test("every class that a vector can show has one code", arguments: VectorExpectation.allCases)
    func classes(expectation: VectorExpectation) {
        let codes = ExitCode.allCases.filter { $0.classes.contains(expectation.rawValue) }
        let others: [String: Int32] = ["noMatchingSlot": 12]
        let expected = Self.codes[expectation.rawValue] ?? others[expectation.rawValue] ?? 11
        #expect(codes.map(\.rawValue) == [expected])
    }

    @Test("a file of each kind gives its class's code", arguments: vectors)
    func vector(_ place: VectorFile.Place) throws {
        let vector = try place.load()
        let session = try CofferSession(passphrase: nil)
        try session.fixture.write(vector.vault)
        // With a newline of its own, because one is removed.
        let passphrase = try session.fixture.file("typed", try #require(vector.passphrase) + [0x0A])
        let list = try session.runner.run(["list", "--passphrase-file", passphrase])
        // What is typed is brought to NFC, so the vector of another form opens here.
        let expected = place.name == "passphrase_nfd_differs" ? 0 : Self.codes[vector.expectation.rawValue]
        #expect(list.code == expected)
        #expect(list.code == 0 || list.messages.hasPrefix("coffer: "))
        #expect(list.bytes.isEmpty == (list.code != 0 || place.name == "empty_dict"))
        let check = try session.runner.run(["check"])
        let code = Self.codes[vector.expectation.rawValue] ?? -1
        #expect(check.code == ([3, 4, 5, 6].contains(code) ? code : 0))
    }

    @Test("too little memory is 7, and not taken for a wrong passphrase")
    func notEnoughMemory() throws {
        let session = try CofferSession(passphrase: nil)
        let passphrase = session.passphraseFile
        let vault = session.fixture.handle()
        try vault.create(passphrase: Secret.text(TemporaryVault.passphrase), cost: .init(passes: 3, memoryKiB: 131_072))
        let limited = try CommandRunner("/bin/sh", environment: session.runner.environment).run([
            "-c", "ulimit -v 120000; exec \"$0\" list --passphrase-file \"$1\"", session.runner.program, passphrase,
        ])
        #expect(limited.code == 7)
        #expect(limited.messages.contains("memory"))
        #expect(try session.runner.run(["list", "--passphrase-file", passphrase]).code == 0)
    }

    @Test("a passphrase that changes during a change is 13, and nothing is overwritten")
    func conflict() throws {
        let session = try CofferSession()
        let child = try FedChild(
            session.runner.program, ["set", "name", "--passphrase-file", session.passphraseFile],
            environment: session.runner.environment, start: [])
        // The program has unlocked the vault when it reads the value.
        try child.waitUntilRead()
        let vault = try session.fixture.unlocked()
        try vault.changePassphrase(to: Secret.text("changed meanwhile"), derivation: TemporaryVault.cheap)
        #expect(try child.end() == .exited(13))
        let again = session.fixture.handle()
        try again.unlock(Secret.text("changed meanwhile"))
        #expect(try again.names() == [])
    }

    @Test("the classes of situations have their codes")
    func situations() throws {
        let session = try CofferSession()
        #expect(try session.run(["get", "absent"]).code == 16)
        #expect(try session.run(["unset", "absent"]).code == 16)
        #expect(try session.run(["set", "empty"], text: "").code == 17)
        #expect(try session.runner.run(["list", "--no-input"]).code == 14)
        #expect(try session.run(["no-such-verb"]).code == 2)
        #expect(try session.run(["list", "--vault", session.fixture.path + ".none"]).code == 19)
        #expect(try session.run(["list", "--vault", session.fixture.directory.path]).code == 15)
        let missing = try session.runner.run(["list", "--passphrase-file", "/nowhere"])
        #expect(missing.code == 15)
        #expect(missing.messages.contains("/nowhere"))
        let pipe = session.fixture.path + ".pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/null"] {
            let odd = try session.run(["list", "--vault", path])
            #expect(odd.code == 15)
            #expect(odd.messages.contains("is not a regular file"), "\(odd.messages)")
        }
        // A directory in which nothing can be made: the save fails at its first step, and says which.
        if geteuid() != 0 {
            unsafe chmod(session.fixture.directory.path, 0o500)
            defer { unsafe chmod(session.fixture.directory.path, 0o700) }
            #expect(try session.run(["set", "name"], text: "value").code == 15)
        }
        let link = session.fixture.path + ".second"
        #expect(unsafe Glibc.link(session.fixture.path, link) == 0)
        #expect(try session.run(["set", "name"], text: "value").code == 17)
        #expect(unsafe Glibc.unlink(link) == 0)
        #expect(try session.run(["set", "name"], text: "value").code == 0)
    }
}
