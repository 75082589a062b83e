internal import Coffer
internal import SecureMemory

extension Failure {
    /// Says what an error of any kind means for a person; one that is not known is never a success.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - vault: the path of the vault, if one was chosen.
    package init(describing error: any Error, vault: String? = nil) {
        switch error {
        case let failure as Failure: self = failure
        case let error as VaultError: self.init(error, vault: vault)
        case let error as SystemError: self = .system("a system call failed", error)
        case is SecureMemoryError: self = .outOfMemory
        default: self.init(.unexpected, "something unexpected went wrong")
        }
    }

    /// No guarded memory to be had.
    static let outOfMemory = Failure(
        .notEnoughMemory, "there is not enough memory for guarded pages",
        hint: "close other programs, or raise ulimit -v"
    )
}

/// Runs what needs guarded memory, and says so when there is none.
func guarded<Result: ~Copyable>(_ body: () throws(SecureMemoryError) -> Result) throws(Failure) -> Result {
    do throws(SecureMemoryError) { return try body() } catch { throw .outOfMemory }
}
