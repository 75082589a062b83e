internal import PropertyLists

/// What both ends of a connection agree on before the first byte.
///
/// A frame is a length of 4 bytes and a body of that many: a verb or a status, and its fields. Numbers are
/// little-endian; text and bytes have their length before them in 4 bytes; what may be absent has a byte that tells.
///
/// The same in every version, so that any client can lock what any agent holds: the greeting (01 and the version in 4
/// bytes, whatever follows), its refusal (09 02 and the agent's version in 4 bytes), after which the connection stays open
/// for two requests, a lock of everything (05 00) and a stop (0A), and their answer, that it is done (02).
package enum AgentProtocol {
    /// The version that this program speaks. Of another, only a few frames are understood.
    package static let version: UInt32 = 1
    /// The most bytes of a frame's body: any value that a vault can hold passes, with its name and path.
    package static let maximumFrame = PropertyListLimits.bytes + (1 << 16)
    /// The bytes of the length before a body.
    package static let prefixLength = 4
    /// The most bytes of a vault's path.
    package static let maximumPath = 4_096
    /// The most bytes of a name as somebody spells it: the vault says more precisely what is too long.
    package static let maximumName = 4_096
    /// The most steps of one change.
    package static let maximumSteps = 4_096
    /// The bytes of a key.
    package static let keyLength = 32
    /// How many bytes of names one page of a list holds, about.
    package static let pageBytes = 1 << 18

    /// Whether a path is one that the agent takes: absolute, not too long, and no end in its middle.
    package static func isPath(_ path: String) -> Bool {
        let bytes = path.utf8
        return bytes.first == UInt8(ascii: "/") && bytes.count <= maximumPath && !bytes.contains(0)
    }
}
