/// Why a property list was refused, and where.
///
/// It carries no byte of the list. Two errors are equal when their codes are.
package struct PropertyListError: Error, Equatable {
    /// The classes of what can be wrong.
    package enum Code: Sendable, Hashable {
        /// Does not start as a binary property list of version 00.
        case notAPropertyList
        /// Starts well, but is too short to hold a trailer.
        case truncated
        /// Sizes, counts, places, references or text are impossible, or an object contains itself.
        case malformed
        /// Has a value, but is not written in the one canonical form.
        case notCanonical
        /// Holds what a settings dictionary cannot: UID, set, null, URL, UUID, an integer beyond 64 bits.
        case unsupportedType
        /// Containers are nested deeper than the reader allows.
        case tooDeep
        /// One dictionary has two equal keys.
        case duplicateKey
        /// More bytes than a list may have.
        case tooLarge
        /// More objects than a list may have.
        case tooManyObjects
        /// No guarded memory could be had.
        case outOfMemory
    }

    /// What is wrong.
    package let code: Code
    /// The byte offset in what was read, or 0 where there is none to name.
    package let offset: Int

    /// Names what is wrong, and where.
    package init(_ code: Code, at offset: Int = 0) {
        self.code = code
        self.offset = offset
    }

    /// Compares the codes alone.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
