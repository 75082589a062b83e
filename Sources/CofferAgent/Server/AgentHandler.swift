/// What answers the requests that come through a loop.
package protocol AgentHandler: Sendable {
    /// Answers a request, on the loop's thread or later on another; it never blocks.
    ///
    /// - Parameters:
    ///   - request: what is asked. The greeting is answered by the loop itself, unless it is of another version.
    ///   - reply: takes the answer, once, from any thread.
    func handle(_ request: consuming AgentRequest, _ reply: @escaping @Sendable (consuming AgentReply) -> Void)

    /// Lets go of what was locked since the last call, on the loop's thread.
    ///
    /// - Returns: a number that grows with each lock, and the lowest epoch that a waiting unlock may still name.
    func noticeLocks() -> (count: UInt64, epoch: UInt64)

    /// Whether a change of the vault at a path may go on waiting, since the vault is unlocked.
    func isHeld(_ path: String) -> Bool

    /// Whether what was read of the vault at a path may be sent, since the vault was not locked meanwhile.
    ///
    /// - Parameters:
    ///   - path: as the request named it.
    ///   - count: the count of locks when the read began. A handler that cannot tell says no.
    func isHeld(_ path: String, since count: UInt64) -> Bool

    /// Where a path led to when it was looked up last: the bytes of a vault's place, or nil if the path was not seen yet.
    func knownPlace(of path: String) -> [UInt8]?

    /// Locks every vault, on the loop's thread. It never blocks, but for the wiping.
    func lockAll()

    /// Locks every vault and lets the workers end what they have begun, before the program ends. It may block.
    func stop()
}
