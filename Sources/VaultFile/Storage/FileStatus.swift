/// What the system says of a file, as far as storage needs it.
package struct FileStatus: Equatable, Sendable {
    /// The kinds of file that storage tells apart.
    package enum Kind: Sendable { case regular, directory, symbolicLink, other }

    /// The kind of file.
    package var kind: Kind
    /// What tells this file, with this content, from another.
    package var identity: FileIdentity
    /// How many names the file has.
    package var links: UInt64
    /// The user who owns it.
    package var owner: UInt32
    /// Its group.
    package var group: UInt32
    /// The permission bits, with the set-id and sticky bits: 0 up to 0o7777.
    package var permissions: UInt32

    /// The number of bytes.
    package var size: Int { identity.size }
}

/// Tells whether the file at a name is the one that was seen before, unchanged.
///
/// Each save makes a new file, so another save always shows. A change in place shows by its times and size.
package struct FileIdentity: Equatable, Sendable {
    /// The number of the device.
    package var device: UInt64
    /// The number of the file on its device.
    package var inode: UInt64
    /// The number of bytes.
    package var size: Int
    /// When the bytes last changed, in nanoseconds since 1970.
    package var modified: Int64
    /// When the bytes or the status last changed, in nanoseconds since 1970.
    package var changed: Int64

    /// Whether both are one file, whatever happened to its content.
    ///
    /// - Parameter other: the identity to compare with.
    /// - Returns: whether device and inode agree.
    package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// Whether both are one file whose bytes were not written to: a change of mode or owner is none.
    ///
    /// - Parameter other: the identity to compare with.
    /// - Returns: whether file, size and time of the last write agree.
    package func hasSameContent(as other: FileIdentity) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
