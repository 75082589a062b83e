internal import CSystem

/// What tells a process from the forked children that its memory is copied to.
package enum ProcessToken {
    /// A number that this process keeps for life, and each of its children has another of.
    package static var current: UInt64 { cs_process_token() }
}
