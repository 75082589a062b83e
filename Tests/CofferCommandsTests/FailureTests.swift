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

    @Test("memory that is missing is said with its size only where it is known")
    func memory() {
        #expect(Failure(VaultError.notEnoughMemory(memoryKiB: nil), vault: nil).message == "there is not enough memory")
        let derivation = Failure(VaultError.notEnoughMemory(memoryKiB: 65_536), vault: nil).message
        #expect(derivation.contains("65536 KiB"))
    }
}
