internal import Glibc

#if !os(Linux)
    #error("Messages knows Linux only: add a file for this system to this folder")
#endif

/// What the program tells its user.
enum Messages {
    /// Where something is told.
    enum Stream {
        /// What was asked for.
        case output
        /// What is worth knowing: a service's journal.
        case errors
    }

    /// Writes one line with the program's name before it.
    static func say(_ text: String) { write("coffer-logind: \(text)\n", to: .errors) }

    /// Writes text as it is.
    ///
    /// - Returns: whether all of it was written.
    @discardableResult
    static func write(_ text: String, to stream: Stream) -> Bool {
        let descriptor =
            switch stream {
            case .output: STDOUT_FILENO
            case .errors: STDERR_FILENO
            }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(count, 0))
        }
        return true
    }
}
