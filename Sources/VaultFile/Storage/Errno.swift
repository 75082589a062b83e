/// The number with which the system says why a call failed.
///
/// The corresponding C variable is `errno`; the numbers have names in `Platform/`.
package struct Errno: Error, Equatable, Sendable {
    /// The number, as the system gave it.
    package let code: Int32

    /// Wraps a number.
    ///
    /// - Parameter code: what the system gave.
    package init(code: Int32) { self.code = code }

    /// Whether a file system means by it that it has no such call, rather than that the call went wrong.
    package var meansUnsupported: Bool {
        self == .invalidArgument || self == .notSupported || self == .noSuchCall
    }
}
