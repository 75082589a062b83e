/// Why a command stops: the status, what happened and to what, and what to do about it.
///
/// The texts never carry a value, a passphrase or an argument that could be one.
package struct Failure: Error, Equatable {
    /// The status to end with.
    package let code: ExitCode
    /// What happened, and to what: one line, without a full stop.
    package let message: String
    /// What to do about it.
    package let hint: String?

    /// Whether the status alone says it.
    package private(set) var isSilent = false

    /// Says what happened.
    package init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The same, told by the status alone.
    var silent: Failure {
        var failure = self
        failure.isSilent = true
        return failure
    }

    /// A mistake on the command line.
    static func usage(_ message: String, hint: String? = nil) -> Failure { Failure(.usage, message, hint: hint) }

    /// A step that the system refused.
    static func system(_ step: String, _ error: SystemError) -> Failure {
        Failure(.ioError, "\(step): \(error.text)")
    }
}
