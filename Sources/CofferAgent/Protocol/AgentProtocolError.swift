/// Why a frame could not be read or written.
package enum AgentProtocolError: Error, Equatable, Sendable {
    /// It is no frame of this protocol: cut short, too long, no such verb, no text, not the one way to write it.
    case malformed
    /// It would be larger than a frame may be, or a path, a name or the number of steps is.
    case tooLarge
    /// Guarded memory could not be had.
    case memory
}
