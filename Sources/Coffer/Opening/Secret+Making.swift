internal import Glibc
public import SecureMemory
internal import VaultFile

extension Secret {
    /// Copies bytes into guarded memory; what they were copied from is not wiped.
    ///
    /// - Parameter bytes: the bytes of the secret.
    /// - Throws: `notEnoughMemory`.
    public init(copying bytes: RawSpan) throws(VaultError) {
        self.init(try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) })
    }

    /// Copies bytes into guarded memory; what they were copied from is not wiped.
    ///
    /// - Parameter bytes: the bytes of the secret, such as `text.utf8` where a framework leaves only a `String`.
    /// - Throws: `notEnoughMemory`.
    public init(copying bytes: some Collection<UInt8>) throws(VaultError) {
        var buffer = try translating { () throws(SecureMemoryError) in try GuardedBuffer(count: bytes.count) }
        for (offset, byte) in bytes.enumerated() where offset < buffer.count { buffer.store(byte, at: offset) }
        self.init(buffer)
    }

    /// Draws a secret from the system's generator.
    ///
    /// The corresponding C function is `randombytes_buf`.
    ///
    /// - Parameter count: the number of bytes, 0 to 1 GiB.
    /// - Returns: the secret.
    /// - Throws: `notEnoughMemory`.
    public static func random(count: Int) throws(VaultError) -> Secret {
        Secret(try translating { () throws(SecureMemoryError) in try GuardedBuffer(randomCount: count) })
    }

    /// Reads a secret from a descriptor straight into guarded memory, up to the first line feed or the end.
    ///
    /// An empty line is an empty secret; where there is no line at all, nothing is made up. Bytes are read one at a time, so what stands after the line is left for others. One carriage return before the
    /// line feed is dropped. The corresponding C function is `read`.
    ///
    /// - Parameters:
    ///   - descriptor: an open descriptor, which stays open.
    ///   - limit: the most bytes of the line, up to 64 MiB.
    /// - Throws: `refused` when the input has ended before; `limitExceeded` for a longer line; `ioError`;
    ///   `notEnoughMemory`.
    public init(readingLineFrom descriptor: Int32, limit: Int = 4_096) throws(VaultError) {
        let line = try translating { () throws(SecureMemoryError) in try GuardedArena(capacity: 256) }
        self.init(try Self.readLine(from: descriptor, limit: limit, into: line))
    }

    private static func tooLong(_ count: Int, _ limit: Int) -> VaultError {
        .limitExceeded(field: "line", value: UInt64(count), bound: UInt64(limit))
    }

    private static func readLine(
        from descriptor: Int32, limit: Int, into line: consuming GuardedArena
    ) throws(VaultError) -> GuardedBuffer {
        var byte = try translating { () throws(SecureMemoryError) in try GuardedBuffer(count: 1) }
        let limit = min(max(limit, 0), Limits.plaintext.upperBound)
        var isEnded = false
        while true {
            let count = unsafe byte.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, 1) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw .ioError(step: "read the secret", errno: errno, path: "descriptor \(descriptor)")
            }
            if count == 0 { break }
            isEnded = byte.bytes[0] == UInt8(ascii: "\n")
            if isEnded { break }
            // One more than the limit, which may turn out to be a carriage return.
            guard line.count <= limit else { throw tooLong(line.count, limit) }
            let last = byte.bytes
            try translating { () throws(SecureMemoryError) in _ = try line.append(last) }
        }
        guard isEnded || line.count > 0 else {
            throw .refused(reason: "the input ended before there was a line")
        }
        // A carriage return belongs to the end of the line only before a line feed.
        if isEnded, line.count > 0, line.bytes[line.count - 1] == UInt8(ascii: "\r") {
            line.truncate(to: line.count - 1)
        }
        guard line.count <= limit else { throw tooLong(line.count, limit) }
        let bytes = line.bytes
        return try translating { () throws(SecureMemoryError) in try GuardedBuffer(copying: bytes) }
    }
}
