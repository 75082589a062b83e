internal import CSystem
internal import Glibc

#if !os(Linux)
    #error("ProcessHardening knows Linux only: add a file for this system to this folder")
#endif

/// Keeps the memory of this process from other processes, core dumps and crash reports.
///
/// Nothing of it happens on import. A program that owns its process calls ``apply()`` first thing in `main`.
public enum ProcessHardening {
    /// What a call to ``apply()`` could not do.
    public struct Refusals: OptionSet, Sendable, Hashable {
        /// The set as one number.
        public let rawValue: Int
        /// Makes a set from its number.
        ///
        /// - Parameter rawValue: the sum of the members' numbers.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Other processes of this user may still attach to this one.
        public static let notDumpable = Refusals(rawValue: 1)
        /// A crash may still write a core file.
        public static let noCore = Refusals(rawValue: 2)
        /// A crash may still print memory (the Swift runtime's backtrace).
        public static let noBacktrace = Refusals(rawValue: 4)
    }

    /// Refuses debuggers of the same user, core files (soft limit only) and the runtime's backtrace.
    ///
    /// The corresponding C functions are `prctl(PR_SET_DUMPABLE)`, `setrlimit(RLIMIT_CORE)` and `signal`.
    ///
    /// - Returns: what the system refused; empty when all was done.
    @discardableResult
    public static func apply() -> Refusals {
        var refusals: Refusals = []
        if cs_set_dumpable(0) != 0 { refusals.insert(.notDumpable) }
        var limit = rlimit()
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        if unsafe getrlimit(core, &limit) == 0 {
            limit.rlim_cur = 0
            if unsafe setrlimit(core, &limit) != 0 { refusals.insert(.noCore) }
        } else {
            refusals.insert(.noCore)
        }
        // The runtime's handlers print registers and the memory they point at.
        for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE, SIGQUIT] {
            if !takeHandler(of: number) { refusals.insert(.noBacktrace) }
        }
        return refusals
    }

    /// Gives a signal its default again, unless it is ignored, as a shell may have asked.
    private static func takeHandler(of number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        guard unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != ignored else { return true }
        unsafe action.__sigaction_handler.sa_handler = SIG_DFL
        action.sa_flags = 0
        return unsafe sigaction(number, &action, nil) == 0
    }
}
