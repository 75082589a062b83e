internal import CSystemd

/// The service manager, if one started this program.
enum ServiceManager {
    /// Tells it that the program is ready, and how it goes.
    ///
    /// The corresponding C function is `sd_notify`.
    static func tellReady(_ status: String) { _ = unsafe sd_notify(0, "READY=1\nSTATUS=\(status)") }
}
