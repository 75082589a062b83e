import SecureMemory
import TestSupport
import Testing
import VaultFile

@Suite struct RecoveryCodeTests {
    @Test("a code on several lines is the same code", arguments: ["\n", "\r\n"])
    func lines(end: String) throws {
        // A vector cannot say this: its code is one line.
        let vector = try VectorFile.Place("v1", "code").load()
        let text = try #require(vector.text(.recoveryCode))
        let code = try RecoveryCode(Array((end + text.replacing("-", with: end) + end).utf8).rawSpan)
        let seed = code.seed.bytes.array
        #expect(seed == vector.bytes(.seed))
        #expect(code.ownerFingerprint == vector.bytes(.fingerprint))
    }
}
