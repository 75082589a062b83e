internal import Glibc

#if !os(Linux)
    #error("DescriptorLimit knows Linux only: add a file for this system to this folder")
#endif

/// How many descriptors this process may have open.
enum DescriptorLimit {
    /// The limit at this time; nil if the system does not say.
    ///
    /// The corresponding C function is `getrlimit`.
    static var current: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
