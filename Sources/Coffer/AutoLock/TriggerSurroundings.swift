package import VaultFile

/// What the kernel tells of by descriptors. Tests put pipes in their place.
package struct TriggerSurroundings: Sendable {
    /// A descriptor that becomes ready when something happened.
    package struct Notice: Sendable {
        /// The descriptor, which belongs to whoever asked for it.
        package let descriptor: Int32
        /// What it is ready for then, as in poll(2).
        package let events: Int16

        /// Makes a notice of a descriptor.
        package init(descriptor: Int32, events: Int16) {
            self.descriptor = descriptor
            self.events = events
        }
    }

    /// The directory of this process's cgroup, if that is of version 2.
    package var cgroup: @Sendable () -> String? = { KernelNotices.cgroup() }

    /// Opens a file of the kernel's that can be waited for, once a trigger has been written to it, if any.
    package var open: @Sendable (_ path: String, _ trigger: String?) -> Result<Notice, Errno> = {
        KernelNotices.open($0, $1)
    }

    /// Makes a descriptor that tells of each jump of the wall clock, such as the end of a sleep of the machine.
    package var clockChanges: @Sendable () -> Result<Notice, Errno> = { KernelNotices.clockChanges() }

    /// The surroundings of a program that runs.
    package init() {}
}
