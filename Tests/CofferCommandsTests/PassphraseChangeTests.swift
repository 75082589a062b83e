import Coffer
import CofferCommands
import TestSupport
import Testing

/// `passphrase`, and the cost that it and `init` choose.
@Suite struct PassphraseChangeTests {
    private static let passphrase = TemporaryVault.passphrase
    private static let lowest = ["--cost", "3,64M"]

    @Test("the same passphrase again changes the key, and is not said to be another")
    func same() throws {
        let session = try CofferSession()
        let lines = Array("\(Self.passphrase)\n\(Self.passphrase)\n".utf8)
        let same = try session.runner.run(["passphrase", "--passphrase-fd", "0"] + Self.lowest, input: lines)
        #expect(same.code == 0)
        #expect(same.messages.contains("the key of \"\(session.fixture.path)\" is changed, the passphrase is the same"))
        #expect(!same.messages.contains("the passphrase of \"") && !same.messages.contains("old one"))
        let other = try session.runner.run(
            ["passphrase", "--passphrase-fd", "0"] + Self.lowest,
            input: Array("\(Self.passphrase)\nquite different words here\n".utf8))
        #expect(other.code == 0)
        #expect(other.messages.contains("the passphrase of \"\(session.fixture.path)\" is changed"))
    }

    @Test("a cost alone keeps the passphrase where nobody can be asked for another")
    func costAlone() throws {
        let session = try CofferSession()
        #expect(try session.run(["passphrase"]).code == 14)
        let alone = try session.run(["passphrase"] + Self.lowest)
        #expect(alone.code == 0)
        #expect(alone.messages.contains("the passphrase is the same"))
        #expect(try session.runner.run(["inspect", "--json"]).output.contains("\"memoryKiB\": 65536,"))
        #expect(try session.run(["list", "--no-input"]).code == 0)
        let line = try session.runner.run(
            ["passphrase", "--passphrase-fd", "0", "--no-input", "--target", "50ms"],
            input: Array("\(Self.passphrase)\n".utf8))
        #expect(line.code == 0)
        #expect(try session.run(["list"]).code == 0)
        let empty = try session.runner.run(
            ["passphrase", "--passphrase-fd", "0"] + Self.lowest, input: Array("\(Self.passphrase)\n\n".utf8))
        #expect(empty.code == 17)
    }

    @Test("a weak passphrase is no reason to refuse its own vault another cost")
    func weak() throws {
        let session = try CofferSession(passphrase: "weak")
        let again = try session.runner.run(
            ["passphrase", "--passphrase-fd", "0"] + Self.lowest, input: Array("weak\nweak\n".utf8))
        #expect(again.code == 0)
        #expect(try session.run(["passphrase"] + Self.lowest).code == 0)
        #expect(
            try session.runner.run(
                ["passphrase", "--passphrase-fd", "0"] + Self.lowest, input: Array("weak\nweek\n".utf8)
            ).code == 17)
    }

    @Test("a chosen cost is told, and warned of when it is lower than the vault's was")
    func told() throws {
        let session = try CofferSession(passphrase: nil)
        let made = try session.run(["init", "--cost", "4,96M"])
        #expect(made.code == 0)
        #expect(made.messages.contains("coffer: cost: 4 passes over 96 MiB\n"))
        for cost in ["4,64M", "3,64M"] {
            let lower = try session.run(["passphrase", "--cost", cost])
            #expect(lower.code == 0)
            #expect(lower.messages.contains("coffer: cost: \(cost.prefix(1)) passes over 64 MiB\n"))
            #expect(lower.messages.contains("warning: that is cheaper to guess than before: 4 passes over "))
        }
        let same = try session.run(["passphrase", "--cost", "3,64M"])
        #expect(same.messages.contains("cost: 3") && !same.messages.contains("cheaper"))
        #expect(try session.run(["passphrase", "--cost", "3,64M", "-q"]).messages.isEmpty)
        let help = try session.runner.run(["help", "passphrase"]).output.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        #expect(help.contains("coffer passphrase: change the passphrase or the cost usage:"))
        #expect(help.contains("the vault's own (unless told)"))
        #expect(!help.contains("moderate (unless told)"))
        #expect(try session.runner.run(["help", "init"]).output.contains("moderate (unless told)"))
    }

    @Test(
        "a cost that was measured is one that a vault may have", arguments: [-1, 0, 1, 1e4, 2e5, 3e5, 7e5, 4e6, 1e12])
    func fitting(work: Double) {
        let cost = CostChoice.fitting(work)
        #expect((3...16).contains(cost.passes))
        #expect((65_536...1_048_576).contains(cost.memoryKiB))
        #expect(UInt64(cost.passes) * UInt64(cost.memoryKiB) <= 4_194_304)
    }
}
