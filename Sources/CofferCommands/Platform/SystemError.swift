internal import Glibc

/// A refusal of the system: the number that it gave.
package struct SystemError: Error, Equatable {
    /// The error number, as in errno(3).
    package let number: Int32

    /// What the system calls it, in English: no locale is ever set here.
    package var text: String { unsafe String(cString: strerror(number)) }
}
