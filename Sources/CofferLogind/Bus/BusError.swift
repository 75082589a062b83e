internal import Glibc

/// Why the bus, or somebody on it, did not do what was asked.
struct BusError: Error {
    /// What was to be done.
    let step: String
    /// The system's reason, or that of whoever was called.
    let reason: String
    /// What whoever was called calls the failure; nil if nobody answered.
    let name: String?

    /// A failure that the library reports as a negative number.
    init(_ step: String, code: Int32) {
        self.step = step
        reason = unsafe strerror(abs(code)).map { unsafe String(cString: $0) } ?? "error \(abs(code))"
        name = nil
    }

    /// An answer that is not as it should be.
    init(malformed step: String) { self.init(step, code: EBADMSG) }

    /// A refusal that came as an answer.
    init(_ step: String, name: String, message: String?) {
        self.step = step
        reason = message.map { "\($0) (\(name))" } ?? name
        self.name = name
    }
}
