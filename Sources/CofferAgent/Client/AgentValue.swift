package import PropertyLists
package import SecureMemory

/// A value that came from the agent, in guarded memory of its own.
package final class AgentValue: Sendable {
    private let list: GuardedBuffer

    /// Checks a value: who sent it is of this user, but no accident there is to end this program with a trap.
    ///
    /// - Throws: `nonsense` for what is no value, `outOfMemory`.
    package init(_ list: consuming GuardedBuffer) throws(AgentAnswerError) {
        do throws(PropertyListError) {
            // The settings themselves are at depth 1.
            try CanonicalCheck.check(
                list.bytes, maximumDepth: PropertyListLimits.settingsDepth - 1, requireDictionary: false, names: .any)
        } catch {
            throw error.code == .outOfMemory ? .outOfMemory : .nonsense
        }
        self.list = list
    }

    /// Lends a reader of the value, which is object 0.
    package func withReader<Result: ~Copyable, Failure: Error>(
        _ body: (PropertyListReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try list.withBytes { (bytes) throws(Failure) -> Result in try body(PropertyListReader(trusted: bytes)) }
    }
}
