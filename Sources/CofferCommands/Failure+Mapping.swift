internal import SecureMemory

extension Failure {
    /// Says what an error of any kind means for a person; one that is not known is never a success.
    init(describing error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as SystemError: self = .system("a system call failed", error)
        case is SecureMemoryError: self = .outOfMemory
        default: self.init(.unexpected, "something unexpected went wrong")
        }
    }

    /// No guarded memory to be had.
    static let outOfMemory = Failure(
        .notEnoughMemory, "there is not enough memory for guarded pages",
        hint: "close other programs, or raise ulimit -v")
}
