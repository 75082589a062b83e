/// What takes several questions, and is to be of one save of the vault.
package enum OneSave {
    // One more save in between each time is no life for a vault.
    private static let attempts = 16

    /// Tries until no save comes in between: 16 times at most.
    ///
    /// - Parameters:
    ///   - outrun: what is thrown when one came in between each time.
    ///   - attempt: gives nil when one came in between.
    /// - Returns: what the first attempt gave that was of one save.
    /// - Throws: `outrun`, and what `attempt` throws.
    package static func read<Result: ~Copyable, Failure: Error>(
        orThrow outrun: @autoclosure () -> Failure, _ attempt: () throws(Failure) -> Result?
    ) throws(Failure) -> Result {
        for _ in 0..<attempts {
            if let result = try attempt() { return result }
        }
        throw outrun()
    }
}
