internal import Coffer
internal import PropertyLists
internal import SecureMemory

/// A value that came from the agent, in guarded memory of its own.
final class AgentValue: Sendable {
    private let list: GuardedBuffer

    /// Checks a value: who sent it is of this user, but no accident there is to end this program with a trap.
    ///
    /// - Throws: `ioError` for what is no value, `notEnoughMemory`.
    init(_ list: consuming GuardedBuffer) throws(VaultError) {
        do throws(PropertyListError) {
            // The settings themselves are at depth 1.
            try CanonicalCheck.check(
                list.bytes, maximumDepth: PropertyListLimits.settingsDepth - 1, requireDictionary: false, names: .any)
        } catch {
            throw error.code == .outOfMemory ? .notEnoughMemory(memoryKiB: nil) : .nonsense
        }
        self.list = list
    }

    /// Lends a reader of the value, which is object 0.
    func withReader<Result: ~Copyable, Failure: Error>(
        _ body: (PropertyListReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try list.withBytes { (bytes) throws(Failure) -> Result in try body(PropertyListReader(trusted: bytes)) }
    }
}
