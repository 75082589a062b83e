internal import Glibc

#if !os(Linux)
    #error("CurrentThread knows Linux only: add a file for this system to this folder")
#endif

/// The thread that runs.
package enum CurrentThread {
    /// A number that no other live thread of this process has.
    package static var number: UInt { UInt(pthread_self()) }
}
