internal import Glibc

/// What the program tells its user, on descriptor 2: a service's journal.
enum Messages {
    /// Writes one line with the program's name before it.
    static func say(_ text: String) { write("coffer-logind: \(text)\n", to: STDERR_FILENO) }

    /// Writes text as it is.
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}
