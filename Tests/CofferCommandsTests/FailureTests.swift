import Coffer
import CofferCommands
import Testing

@Suite struct FailureTests {
    @Test("only the machine's own limit of memory names the option that lifts it")
    func memoryLimit() {
        let cases: [(String, UInt64, UInt64, Bool)] = [
            ("mem", 1_048_576, 500_000, true), ("mem", 1_048_577, 1_048_576, false), ("mem", 8_191, 8_192, false),
            ("ops", 17, 16, false),
        ]
        for (field, value, bound, isLifted) in cases {
            let failure = Failure(VaultError.limitExceeded(field: field, value: value, bound: bound), vault: "/v")
            #expect(failure.hint?.contains("--allow-large-memory") ?? false == isLifted)
            #expect(failure.message.contains("\(field) is \(value), and the limit is \(bound)"))
        }
    }

    @Test("a number that no format has is not said to be a newer one")
    func unknown() {
        let cases: [(VaultError, Bool)] = [
            (.unsupportedVersion(0), false), (.unsupportedVersion(2), true),
            (.unsupportedFeature(field: "kdf", value: 0), false),
            (.unsupportedFeature(field: "cipher", value: 7), true),
        ]
        for (error, isNewer) in cases {
            let failure = Failure(error, vault: "/v")
            #expect(failure.code == .unsupported)
            #expect(failure.message.contains("does not know"))
            #expect(failure.hint?.contains("newer") == isNewer)
        }
    }

    @Test("a rule that says no names the vault, quoted")
    func refusal() {
        let failure = Failure(VaultError.refused(reason: "it belongs to another user"), vault: "/v\n\u{1B}")
        #expect(failure.message == "the vault \"/v\\u{A}\\u{1B}\": it belongs to another user")
    }

    @Test("a change that may be made or not is no failure of which nothing is left, and names the vault")
    func outcomeUnknown() {
        let failure = Failure(VaultError.outcomeUnknown(path: "/v\n"), vault: nil)
        #expect(failure.code == .ioError)
        #expect(failure.message == "\"/v\\u{A}\": the agent did not say whether the change is made")
        #expect(failure.hint == "look before you do it again")
        #expect(ExitCode.ioError.classes.contains("outcomeUnknown"))
        let told = "\(VaultError.outcomeUnknown(path: "/v"))"
        #expect(told == "the change in /v may be made or not: look before you do it again")
    }

    @Test("memory that is missing is said with its size only where it is known")
    func memory() {
        #expect(Failure(VaultError.notEnoughMemory(memoryKiB: nil), vault: nil).message == "there is not enough memory")
        let derivation = Failure(VaultError.notEnoughMemory(memoryKiB: 65_536), vault: nil).message
        #expect(derivation.contains("65536 KiB"))
    }
}
