internal import CSystem
internal import Glibc
internal import SecureMemory
internal import VaultFile

#if !os(Linux)
    #error("UnixSocket knows Linux only: add a file for this system to this folder")
#endif

/// Calls on sockets between processes of this machine; none of them blocks, and none raises a signal.
enum UnixSocket {
    /// What a read or a write did.
    enum Progress: Equatable {
        /// So many bytes went through.
        case some(Int)
        /// None can at this time.
        case none
        /// The other end is gone, or the connection is of no use any more.
        case ended
    }

    /// Whether the other end is of this user.
    ///
    /// The corresponding C option is `SO_PEERCRED`.
    static func isOfThisUser(_ socket: Int32) -> Bool {
        var user: uid_t = 0
        return unsafe cs_socket_peer(socket, &user) == 0 && user == geteuid()
    }

    /// Connects to a path; a listener whose queue is full is there all the same.
    ///
    /// - Returns: the connection, or nil when the queue of the listener is full.
    static func connect(to path: String) throws(Errno) -> Int32? {
        let socket = cs_socket()
        guard socket >= 0 else { throw Errno(code: errno) }
        while unsafe cs_socket_connect(socket, path) != 0 {
            let failure = errno
            if failure == EINTR { continue }
            close(socket)
            if failure == EAGAIN { return nil }
            throw Errno(code: failure)
        }
        return socket
    }

    /// Reads the length that stands before a frame: at most what is missing of it.
    static func read(_ socket: Int32, into prefix: inout [UInt8]) -> Progress {
        var bytes: [UInt8] = [0, 0, 0, 0]
        let wanted = AgentProtocol.prefixLength - prefix.count
        let result = progress { unsafe recv(socket, &bytes, wanted, 0) }
        if case .some(let count) = result { prefix += bytes.prefix(count) }
        return result
    }

    /// Reads into guarded memory.
    static func read(_ socket: Int32, into buffer: inout GuardedBuffer, range: Range<Int>) -> Progress {
        precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count && !range.isEmpty)
        return unsafe buffer.withUnsafeMutableBytes { bytes in
            let bytes = unsafe bytes[range]
            return progress {
                unsafe recv(socket, UnsafeMutableRawBufferPointer(rebasing: bytes).baseAddress, bytes.count, 0)
            }
        }
    }

    /// Writes out of guarded memory.
    static func write(_ socket: Int32, _ bytes: RawSpan) -> Progress {
        unsafe bytes.withUnsafeBytes { bytes in
            progress { unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    private static func progress(_ call: () -> Int) -> Progress {
        while true {
            let count = call()
            if count > 0 { return .some(count) }
            // 0 is the end of what comes in; nothing that is written here is empty.
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .none
            default: return .ended
            }
        }
    }

    /// Waits until a descriptor is ready. What is there has come in time, however late it is seen.
    ///
    /// - Parameters:
    ///   - descriptor: open.
    ///   - interest: for what.
    ///   - deadline: on `CLOCK_BOOTTIME`, in nanoseconds.
    /// - Returns: whether it was ready in time.
    static func wait(_ descriptor: Int32, for interest: Poller.Interest, until deadline: Int64) -> Bool {
        while true {
            let now = MonotonicTime.now
            var poller = Poller()
            poller.add(descriptor, interest)
            if poller.wait(atMost: MonotonicTime.milliseconds(max(deadline, now) - now)) { return true }
            guard now < deadline else { return false }
        }
    }
}
