/// What a loop takes from its clients, in number, bytes and time.
///
/// Bytes are those of the pages that are locked for a frame, not of the frame; a change is charged with its steps as well,
/// which do not stand in such pages. All frames together take at most about
/// 620 MiB: `incomingBytes` (160 MiB) and `outgoingBytes` (128 MiB); beyond these the replies to what is with the handler
/// when no room is left, which are `readsInFlight` largest values (4 of 64 MiB) and `reportsInFlight` reports (4 of less
/// than 1 MiB); and for each connection one small frame or reply that waits for no room (less than 36 KiB).
///
/// Not in this sum is what lasts for a moment: on the loop's thread the copy of one frame, which grows or is taken apart,
/// and on each reading thread what one value is put together in.
package struct AgentLimits: Sendable {
    /// The most connections; fewer where the process may have fewer descriptors.
    package var connections = 2_048
    /// How many descriptors are left for the vaults' files.
    package var sparedDescriptors = 64
    /// The most memory of all frames that come in, and of the changes that they hold until they are saved.
    package var incomingBytes = 160 << 20
    /// Up to this size a frame has room whatever the others take: a lock, a status, a read, an unlock.
    package var smallFrame = 16 << 10
    /// From this many unread bytes on, no read or report is begun that would add to them.
    package var outgoingBytes = 128 << 20
    /// The most reports that the handler is given at once.
    package var reportsInFlight = 4
    /// The most reads that the handler is given at once: each may come back as the largest value.
    package var readsInFlight = 4
    /// How many of them may be of paths that the handler has not seen yet, so that drives that are gone leave threads to the
    /// vaults that are unlocked.
    package var unseenReadsInFlight = 2
    /// The most changes that the handler is given at once.
    package var changesInFlight = 16
    /// How long a client may take to send a frame that it has begun, or to read a reply.
    package var patience = Duration.seconds(30)
    /// How long a client may stand still in the middle of a frame or a reply while others wait for the room.
    package var shortPatience = Duration.seconds(2)
    /// How long the end of the loop waits for what has begun: a save may wait for a file's lock.
    package var farewell = Duration.seconds(10)

    /// The limits of a program that runs.
    package init() {}
}
