internal import CSystem
internal import Glibc
internal import SecureMemory

#if !os(Linux)
    #error("Descriptors knows Linux only: add a file for this system to this folder")
#endif

/// Reading and writing descriptors, straight from and to guarded memory, with no buffer in between.
enum Descriptors {
    /// Makes sure that descriptors 0, 1 and 2 are taken, so that no file opened later can become one of them.
    ///
    /// A closed one is opened on the null device in the direction that nobody uses: reading or writing it goes on
    /// failing as it would have done.
    static func occupyStandard() {
        for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] {
            var status = stat()
            guard unsafe fstat(Int32(descriptor), &status) != 0, errno == EBADF else { continue }
            _ = unsafe cs_open("/dev/null", mode, 0)
        }
    }

    /// Whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Opens a file, a pipe or a device for reading; it is closed in child processes.
    static func open(reading path: String) throws(SystemError) -> Int32 {
        while true {
            let descriptor = unsafe path.withCString { unsafe cs_open($0, O_RDONLY | O_NOCTTY, 0) }
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw SystemError(number: errno) }
        }
    }

    /// Reads what there is, up to the end of the buffer.
    ///
    /// - Returns: the number of bytes; 0 at the end of the input.
    static func read(
        _ descriptor: Int32, into buffer: inout GuardedBuffer, at offset: Int, atMost limit: Int = .max
    ) throws(SystemError) -> Int {
        while true {
            if let count = try readNow(descriptor, into: &buffer, at: offset, atMost: limit) { return count }
            wait(for: descriptor, POLLIN)
        }
    }

    /// Reads what there is, up to the end of the buffer, without waiting if the descriptor does not.
    ///
    /// - Returns: the number of bytes; 0 at the end of the input; nothing when there is nothing yet.
    static func readNow(
        _ descriptor: Int32, into buffer: inout GuardedBuffer, at offset: Int, atMost limit: Int = .max
    ) throws(SystemError) -> Int? {
        precondition(offset >= 0 && offset <= buffer.count)
        let wanted = min(limit, buffer.count - offset)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes -> Int in
                guard let start = bytes.baseAddress else { return 0 }
                return unsafe Glibc.read(descriptor, start + offset, wanted)
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw SystemError(number: errno)
            }
        }
    }

    /// Writes all bytes.
    static func write(_ bytes: RawSpan, to descriptor: Int32) throws(SystemError) {
        var offset = 0
        while offset < bytes.byteCount {
            let rest = bytes.extracting(offset..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                offset += count
                continue
            }
            switch count == 0 ? EIO : errno {
            case EINTR: continue
            case EAGAIN: wait(for: descriptor, POLLOUT)
            case let number: throw SystemError(number: number)
            }
        }
    }

    /// Writes text that is no secret.
    static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
        let bytes = Array(text.utf8)
        try write(unsafe bytes.span.bytes, to: descriptor)
    }

    // Someone else made the descriptor non-blocking; it is theirs, so its flags are left alone.
    private static func wait(for descriptor: Int32, _ events: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }

    /// Checks that a descriptor is open.
    static func checkIsOpen(_ descriptor: Int32) throws(SystemError) {
        guard fcntl(descriptor, F_GETFD) >= 0 else { throw SystemError(number: errno) }
    }

    /// Keeps a descriptor from child processes.
    static func closeOnExec(_ descriptor: Int32) { _ = cs_close_on_exec(descriptor) }

    /// Closes a descriptor of ours.
    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
