import Coffer
import CofferCommands
import SecureMemory
import Testing

@Suite struct FailureTests {
    private static let classes: [(error: VaultError, code: ExitCode)] = [
        (.notAVault(path: "/v"), .notAVault), (.unsupportedVersion(2), .unsupported),
        (.unsupportedFeature(field: "kdf", value: 2), .unsupported), (.damaged(reason: "check"), .damaged),
        (.limitExceeded(field: "mem", value: 2, bound: 1), .limitExceeded),
        (.notEnoughMemory(memoryKiB: 65_536), .notEnoughMemory), (.wrongPassphrase, .wrongPassphrase),
        (.tampered, .tampered), (.invalidContents(reason: "names"), .invalidContents), (.rolledBack, .notFresh),
        (.forked, .notFresh), (.replaced, .notFresh), (.rekeyed, .notFresh), (.noMatchingSlot, .noMatchingSlot),
        (.conflict, .conflict), (.locked, .locked), (.ioError(step: "open", errno: 13, path: "/v"), .ioError),
        (.notFound(name: "a"), .notFound), (.refused(reason: "no"), .refused), (.noVault(path: "/v"), .noVault),
        (.alreadyExists(path: "/v"), .refused),
        (.typeMismatch(name: "a", expected: "string", found: "integer"), .unexpected),
    ]

    @Test("every class of failure has its status, and one line that says what to do", arguments: classes)
    func statuses(error: VaultError, code: ExitCode) {
        let failure = Failure(describing: error, vault: "/some/vault")
        #expect(failure.code == code)
        #expect(!failure.message.isEmpty && !failure.message.contains("\n") && !failure.message.hasSuffix("."))
        #expect(!code.classes.isEmpty)
    }

    @Test("paths and names in messages cannot steer a terminal")
    func escapes() {
        for error in [VaultError.noVault(path: "/a\u{1B}[2J"), .notFound(name: "a\u{1B}[2J")] {
            let failure = Failure(describing: error, vault: "/b\u{202E}")
            #expect(failure.message.contains("\\u{1B}"))
            #expect(!failure.message.unicodeScalars.contains(where: Escaping.isHarmful))
        }
    }

    @Test("what is not known is an unexpected failure, never a success")
    func unknown() {
        struct Unheard: Error {}
        #expect(Failure(describing: Unheard()).code == .unexpected)
        #expect(Failure(describing: SecureMemoryError.outOfMemory).code == .notEnoughMemory)
    }
}
