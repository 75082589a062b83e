/// Why guarded memory could not be had.
package enum SecureMemoryError: Error, Equatable {
    /// The system gave no memory, or the size is out of range.
    case outOfMemory
}
